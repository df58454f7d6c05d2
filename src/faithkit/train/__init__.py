"""What `faithkit train` does: one file for each thing that can be trained."""
