"""The whole stored fact of one request."""

from __future__ import annotations

from budget_model.queries.requests import position_of
from budget_model.queries.table import RequestTable
from budget_model.records.facts import RequestFact
from budget_model.store.tables import facts_of


def fact_of(table: RequestTable, request_id: str) -> RequestFact | None:
    """A request's fact; None when there is no such request. Its ``digest`` is not kept and reads 0."""
    position = position_of(table, request_id)
    if position is None:
        return None
    query = f"SELECT *, 0::BIGINT AS digest FROM {table.name} WHERE rowid = ?"  # noqa: S608 fixed name
    with table.connection.cursor() as cursor:
        (fact,) = facts_of(cursor.sql(query, params=[position]).to_arrow_table())
    return fact
