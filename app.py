"""The dashboard's first page: run with ``streamlit run app.py`` or ``tailbudget serve``."""

from budget_model.views import frame, overview

overview.render(frame.begin("Overview"))
