#!/usr/bin/env python3
"""Puts the page together: packs assets, cuts fonts, lists what works offline. The same inputs give the same bytes.

usage: scripts/web_site.py BUILD SITE    (BUILD: what scripts/web.sh has built; SITE/app is made anew)
"""
import gzip
import hashlib
import json
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent
ASSETS = SOURCE / "assets"
PAGE = SOURCE / "app/web/page"
BOOKS = ["stories", "exercises", "claims", "tours"]
FONTS = {
    "Inter-Regular.otf": "opentype/inter", "Inter-SemiBold.otf": "opentype/inter",
    "JetBrainsMono-Regular.ttf": "truetype/jetbrains-mono", "JetBrainsMono-SemiBold.ttf": "truetype/jetbrains-mono",
    "wqy-microhei.ttc": "truetype/wqy",
}


def characters():
    """Every character that the program may show: of its catalogue, stories, sources of kernels, and of its own code."""
    texts = [p.read_text() for folder in ["assets", "kernels", "app"] for p in sorted((SOURCE / folder).rglob("*"))
             if p.suffix in (".md", ".po", ".json", ".cpp", ".hpp", ".cuh", ".txt", ".cu") and p.is_file()]
    latin = {chr(c) for c in [*range(0x20, 0x7F), *range(0xA0, 0x100)]}
    return "".join(sorted(latin.union(*map(set, texts)) - {"\n", "\r", "\t"}))


def cut_font(path, text):
    """The font with these characters alone; all that layout and drawing read of it is as it was."""
    with tempfile.TemporaryDirectory() as folder:
        target, wanted = pathlib.Path(folder) / "font", pathlib.Path(folder) / "text"
        wanted.write_text(text)
        subprocess.run(["hb-subset", f"--text-file={wanted}", "--layout-features=*", "--name-IDs=*", "--name-languages=*",
                        "--glyph-names", "--notdef-outline", "--face-index=0", f"--output-file={target}", str(path)], check=True)
        return target.read_bytes()


def pack(files):
    """See unpack() in app/web/page/loading.js."""
    listing = json.dumps([[path, len(data)] for path, data in files], separators=(",", ":")).encode()
    return struct.pack("<I", len(listing)) + listing + b"".join(data for _, data in files)


def manifests(recordings):
    """What each run file says of itself, without its columns: see load_manifest_texts() in app/engine/run_index.hpp."""
    packed = b""
    for path in sorted(recordings.rglob("*.npz")):
        with zipfile.ZipFile(path) as run:
            text = run.read("manifest.json")
        packed += f"{path.relative_to(recordings)} {len(text)}\n".encode() + text + b"\n"
    return packed


def base_pack(build):
    text = characters()
    files = [(f"/assets/fonts/{name}", cut_font(pathlib.Path("/usr/share/fonts") / folder / name, text)) for name, folder in FONTS.items()]
    for book in BOOKS:
        files += [(f"/assets/{p.relative_to(ASSETS)}", p.read_bytes()) for p in sorted((ASSETS / book).rglob("*")) if p.is_file()]
    with tempfile.TemporaryDirectory() as folder:
        for catalogue in sorted((ASSETS / "locale").glob("*.po")):
            compiled = pathlib.Path(folder) / f"{catalogue.stem}.mo"
            subprocess.run(["msgfmt", "-o", compiled, catalogue], check=True)
            files.append((f"/assets/locale/{compiled.name}", compiled.read_bytes()))
    return pack(files)


def recordings_pack(recordings):
    files = [("/recordings/manifests", manifests(recordings))]
    first = recordings / "first_device"
    return pack(files + ([("/recordings/first_device", first.read_bytes())] if first.exists() else []))


def write_packed(path, data):
    path.with_name(path.name + ".gz").write_bytes(gzip.compress(data, 9, mtime=0))


def main(build, site):
    app = site / "app"
    shutil.rmtree(app, ignore_errors=True)
    app.mkdir(parents=True)
    for file in sorted(PAGE.iterdir()):
        shutil.copyfile(file, app / file.name)
    for module in ["worker", "window"]:
        shutil.copyfile(pathlib.Path(f"{build}-{module}") / f"lockstep-{module}.js", app / f"lockstep-{module}.js")
        write_packed(app / f"lockstep-{module}.wasm", (pathlib.Path(f"{build}-{module}") / f"lockstep-{module}.wasm").read_bytes())
    recordings = ASSETS / "recordings"
    write_packed(app / "base.pack", base_pack(build))
    write_packed(app / "recordings.pack", recordings_pack(recordings))
    needed = sorted(p.name for p in app.iterdir() if p.name != "offline.js")
    for file in sorted(recordings.rglob("*.npz")):
        target = app / "recordings" / file.relative_to(recordings)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
    later = sorted(str(p.relative_to(app)) for p in (app / "recordings").rglob("*.npz"))
    digest = hashlib.sha256(b"".join((app / name).read_bytes() for name in needed + later)).hexdigest()[:16]
    offline = (app / "offline.js").read_text()
    for mark, value in [("@VERSION@", digest), ("'@NEEDED@'", json.dumps(needed)), ("'@LATER@'", json.dumps(later))]:
        assert mark in offline, mark
        offline = offline.replace(mark, value)
    (app / "offline.js").write_text(offline)
    first = sum((app / n).stat().st_size for n in ["lockstep-window.wasm.gz", "base.pack.gz", "recordings.pack.gz"])
    print(f"before the window opens {first / 1e6:.2f} MB; the worker {(app / 'lockstep-worker.wasm.gz').stat().st_size / 1e6:.2f} MB more")


main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
