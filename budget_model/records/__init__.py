"""Records that cross package borders: what a source yields, what a normaliser makes, what a store keeps.

Sources, normalisers, store and exports do not import one another; they meet in these types.
"""
