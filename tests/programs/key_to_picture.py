#!/usr/bin/env python3
"""From a key press in the real window to the new picture: a program is opened under Xvfb, a letter is typed into a comment
of it, and the window's title is watched until the run of the new text is shown. The editor waits 0.4 s for the next key.

  tests/programs/key_to_picture.py build/release/lockstep [-n TIMES] [FILE.cu...]

Without files: transposes of 256 x 256 and 1024 x 1024. Needs Xvfb, xdotool and clang. CPU seconds are those of the window and all
that it started, with what drawing in software takes; on a machine that does other work they say more than the clock."""
import argparse
import os
import pathlib
import subprocess
import tempfile
import time

TRANSPOSE = """#include <cstdio>
#include <vector>

constexpr int kTile = 32;

__global__ void transpose(const float* in, float* out, int n) {
  __shared__ float tile[kTile][kTile];
  int col = blockIdx.x * kTile + threadIdx.x;
  int row = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(row + j) * n + col];
  __syncthreads();
  col = blockIdx.y * kTile + threadIdx.x;
  row = blockIdx.x * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += 8) out[(row + j) * n + col] = tile[threadIdx.x][threadIdx.y + j];
}

int main() {
  const int n = SIZE;
  std::vector<float> a(n * n), b(n * n);
  for (int i = 0; i < n * n; ++i) a[i] = i % 1000;
  float *in, *out;
  cudaMalloc(&in, n * n * sizeof(float));
  cudaMalloc(&out, n * n * sizeof(float));
  cudaMemcpy(in, a.data(), n * n * sizeof(float), cudaMemcpyHostToDevice);
  transpose<<<dim3(n / kTile, n / kTile), dim3(kTile, 8)>>>(in, out, n);
  cudaMemcpy(b.data(), out, n * n * sizeof(float), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) wrong += b[c * n + r] != a[r * n + c];
  printf("wrong %d\\n", wrong);
  cudaFree(in), cudaFree(out);
  return wrong != 0;
}
"""


class Window:
    def __init__(self, lockstep, text, folder):
        file = pathlib.Path(folder) / "program.cu"
        file.write_text(text)
        (pathlib.Path(folder) / "lockstep").mkdir(exist_ok=True)
        ends = os.pipe()
        self.server = subprocess.Popen(["Xvfb", "-displayfd", str(ends[1]), "-screen", "0", "1600x900x24", "-nolisten", "tcp", "-noreset"],
                                       pass_fds=[ends[1]], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(ends[1])
        display = ":" + os.read(ends[0], 16).decode().strip()
        self.env = os.environ | {"DISPLAY": display, "XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": folder, "LIBGL_ALWAYS_SOFTWARE": "1"}
        self.program = subprocess.Popen([lockstep, file], env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.id = ""
        self.until(lambda title: " step " in title, 60)
        self.xdotool("windowfocus", "--sync", self.id)
        time.sleep(1)    # until it knows

    def xdotool(self, *words):
        return subprocess.run(["xdotool", *words], env=self.env, capture_output=True, text=True).stdout.strip()

    def title(self):
        if not self.id:
            self.id = self.xdotool("search", "--name", "Lockstep").split("\n")[0]
        return self.xdotool("getwindowname", self.id) if self.id else ""

    def until(self, wanted, seconds=30):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if wanted(self.title()):
                return
            time.sleep(0.005)
        raise SystemExit(f"the title is still '{self.title()}'")

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.program.pid}/stat").read_text().rsplit(")", 1)[1].split()
        ticks = [int(field) / os.sysconf("SC_CLK_TCK") for field in fields[11:15]]
        return ticks[0] + ticks[1], ticks[2] + ticks[3]    # its own; of those that it waited for

    def type_and_wait(self, *keys):
        cpu, began = self.cpu_seconds(), time.monotonic()
        typed = subprocess.Popen(["xdotool", "key", "--delay", "12", *keys], env=self.env)
        self.until(lambda title: title and " step " not in title)
        self.until(lambda title: " step " in title)
        took = time.monotonic() - began
        typed.wait()
        own, others = self.cpu_seconds()
        return took, own - cpu[0], others - cpu[1]

    def close(self):
        self.program.terminate(), self.program.wait()
        self.server.terminate(), self.server.wait()


def measure(lockstep, name, text, times):
    with tempfile.TemporaryDirectory() as folder:
        window = Window(lockstep, text, folder)
        try:
            window.type_and_wait("slash", "slash", "space", "a")
            rows = []
            for _ in range(times):
                time.sleep(1)
                rows.append(window.type_and_wait("b"))
        finally:
            window.close()
    rows.sort()
    wall, own, others = rows[len(rows) // 2]
    print(f"{name}: median {wall:.2f} s from key to picture ({rows[0][0]:.2f} to {rows[-1][0]:.2f}); CPU seconds: window {own:.2f}, "
          f"compiler and program {others:.2f}; load {os.getloadavg()[0]:.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lockstep")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("-n", type=int, default=5, metavar="TIMES")
    options = parser.parse_args()
    programs = [(file.name, file.read_text()) for file in options.files] or [
        (f"transpose {n} x {n}", TRANSPOSE.replace("SIZE", str(n))) for n in (256, 1024)]
    for name, text in programs:
        measure(options.lockstep, name, text, options.n)


if __name__ == "__main__":
    main()
