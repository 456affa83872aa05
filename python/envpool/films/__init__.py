"""Films: how a policy plays a task, or how an episode went, as a GIF or a video."""
