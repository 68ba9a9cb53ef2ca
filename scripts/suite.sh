# Sourced: binary and source packages of this machine's Debian mirror, of any of its suites, unpacked into a folder without
# being installed. Needs no root.

# lockstep_apt SUITE WORK ARGUMENTS...: apt-get with the mirror that this machine uses, for one suite; its state lies in WORK.
lockstep_apt() {
  local suite=$1 work=$2 mirror
  shift 2
  mkdir -p "$work/lists/partial" "$work/archives/partial" "$work/parts"
  touch "$work/status"
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | sort -u | head -1)
  [ -n "$mirror" ] || { echo "this machine's apt knows no Debian mirror: sudo apt-get update, on a Debian system" >&2; return 1; }
  printf 'Types: deb deb-src\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n' \
    "$mirror" "$suite" >"$work/parts/suite.sources"
  apt-get -qq -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$work/parts" -o Dir::State::Lists="$work/lists" \
    -o Dir::State::status="$work/status" -o Dir::Cache="$work" -o Dir::Cache::archives="$work/archives" -o APT::Sandbox::User="$(id -un)" "$@"
}

# lockstep_unpack SUITE FOLDER PACKAGE...: what these binary packages hold.
lockstep_unpack() {
  local suite=$1 folder=$2 work package
  shift 2
  work=$(mktemp -d)
  mkdir -p "$folder"
  (cd "$work" && lockstep_apt "$suite" "$work" update && lockstep_apt "$suite" "$work" download "$@") || return 1
  for package in "$work"/*.deb; do dpkg-deb -x "$package" "$folder"; done
  rm -rf "$work"
}

# lockstep_source SUITE FOLDER PACKAGE: its upstream source; what Debian changes concerns its own build. The .dsc is signed by
# Debian's index, and holds the sum of the archive.
lockstep_source() {
  local suite=$1 folder=$2 package=$3 work archive
  work=$(mktemp -d)
  (cd "$work" && lockstep_apt "$suite" "$work" update &&
    lockstep_apt "$suite" "$work" source --download-only "$package") >/dev/null 2>"$work/said" || true
  archive=$(cd "$work" && ls *.orig.tar.* 2>/dev/null | head -1)
  if [ -z "$archive" ] || ! (cd "$work" && sed -n '/^Checksums-Sha256/,/^Files/s/^ //p' *.dsc | awk -v f="$archive" \
    '$3 == f { print $1 "  " $3 }' | sha256sum --quiet -c -); then
    cat "$work/said" >&2
    echo "the source of $package could not be fetched from this machine's Debian mirror" >&2
    return 1
  fi
  mkdir -p "$folder"
  tar -xf "$work/$archive" -C "$folder" --strip-components=1
  rm -rf "$work"
}
