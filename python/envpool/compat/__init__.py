"""Names that EnvPool has for what stands elsewhere here, and that its clients use."""
