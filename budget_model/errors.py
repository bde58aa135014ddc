"""What can go wrong and is understood. Anything else is a bug and keeps its traceback.

::

    TailbudgetError            an understood "no": one line on stderr, exit 2
    |-- SettingsError          an environment variable or option has a value we do not accept
    |-- SourceError            a file cannot be read as what it claims to be
    |   |-- UnknownFormatError     no reader recognises the content
    |   |-- UnsafeInputError       reading on would exhaust memory or disk (a decompression bomb)
    |   `-- RemoteError            a server or database elsewhere cannot be read or written
    |-- MappingError           a hop rule that cannot be used
    |-- BudgetError            a budget question or step that has no answer as asked
    |   `-- BudgetConflictError    somebody else changed the budget in between
    |-- FilterError            a filter names something that does not exist
    |-- StoreError             the home directory cannot be read or written
    |   `-- StoreBusyError         another process is importing; it is named
    |-- Cancelled              the user stopped the work; nothing was kept
    `-- NoDataError            the question has no answer from the data at hand
"""

from __future__ import annotations


class TailbudgetError(Exception):
    """Base of every understood refusal; ``str()`` is one sentence fit to show to a user."""


class SettingsError(TailbudgetError):
    """An environment variable, option or configuration file has a value that is not accepted."""


class SourceError(TailbudgetError):
    """A file cannot be read as what it is."""


class UnknownFormatError(SourceError):
    """No reader recognises the content of a file."""


class UnsafeInputError(SourceError):
    """Reading on would exhaust memory or disk."""


class RemoteError(SourceError):
    """A server or database elsewhere cannot be reached, or says what cannot be used."""


class RemoteRefusalError(RemoteError):
    """A server answered, and said that it cannot give what was asked for."""


class MappingError(TailbudgetError):
    """A hop rule that cannot be used."""


class BudgetError(TailbudgetError):
    """A budget question that has no answer as it was asked."""


class BudgetConflictError(BudgetError):
    """Somebody else changed the budget in between; nothing was saved."""


class FilterError(TailbudgetError):
    """A filter names a field or a value that is not accepted."""


class StoreError(TailbudgetError):
    """The home directory cannot be read or written."""


class StoreBusyError(StoreError):
    """Another process holds the import lock."""


class Cancelled(TailbudgetError):  # noqa: N818  (a wish fulfilled, not an error)
    """The user stopped the work; nothing of it was kept."""


class NoDataError(TailbudgetError):
    """The question has no answer from the data at hand."""
