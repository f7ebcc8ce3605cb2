"""The version of the Python files. The import of shardway compares it with the native library's."""

__version__ = "0.1.0"
