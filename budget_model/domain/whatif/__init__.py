"""What a change would do to the tail: request vectors are transformed and the percentile taken again."""
