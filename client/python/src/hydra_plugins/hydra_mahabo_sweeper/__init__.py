"""The sweeper mahabo of Hydra."""
