# out = a * b, of matrices: one program for every tile of 16 by 16.
import triton
import triton.language as tl


@triton.jit
def tile_product(a, b, out, width, height, depth):
    i = tl.arange(0, 16)
    row = tl.program_id(1) * 16 + i[:, None]
    col = tl.program_id(0) * 16 + i[None, :]
    total = tl.zeros((16, 16), tl.float32)
    for k in range(0, depth, 16):
        a_tile = a + row * depth + k + i[None, :]
        b_tile = b + (k + i[:, None]) * width + col
        in_a = (row < height) & (k + i[None, :] < depth)
        in_b = (k + i[:, None] < depth) & (col < width)
        x = tl.load(a_tile, mask=in_a, other=0.0)
        y = tl.load(b_tile, mask=in_b, other=0.0)
        total = tl.dot(x, y, total, "ieee")
    inside = (row < height) & (col < width)
    out_tile = out + row * width + col
    tl.store(out_tile, total, mask=inside)
