# out = a + b: one program for every BLOCK_SIZE elements.
import triton
import triton.language as tl


@triton.jit
def vector_add(a, b, out, n, BLOCK_SIZE: tl.constexpr):
    first = tl.program_id(0) * BLOCK_SIZE
    i = first + tl.arange(0, BLOCK_SIZE)
    inside = i < n
    x = tl.load(a + i, mask=inside)
    y = tl.load(b + i, mask=inside)
    tl.store(out + i, x + y, mask=inside)
