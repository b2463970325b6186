"""What this machine's processor can do, where that decides how a model is run."""

from pathlib import Path

__all__ = ["has_bf16"]


def has_bf16() -> bool:
    """Whether it multiplies in bfloat16; where it does not, PyTorch's autocast is slower than full precision."""
    cpuinfo = Path("/proc/cpuinfo")
    return cpuinfo.exists() and "avx512_bf16" in cpuinfo.read_text(encoding="utf-8")
