"""The only package that imports Streamlit."""
