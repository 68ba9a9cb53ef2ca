# Candidates with what they are, from the program itself. The first word behind the verb is the lab.
_lockstep_ask() {
  local -a lines candidates
  local source=$1 lab rung word name
  local -i i
  for word in ${words[2,-1]}; do
    if [[ $word != -* ]]; then
      lab=$word
      break
    fi
  done
  for ((i = 2; i < $#words; ++i)); do
    [[ ${words[i]} == --rung ]] && rung=${words[i + 1]}
  done
  case $source in
    settings)
      if [[ $PREFIX == *=* ]]; then
        name=${PREFIX%%=*}
        compset -P '*='
        lines=(${(f)"$(lockstep complete values "$lab" "$name" 2>/dev/null)"})
      else
        lines=(${(f)"$(lockstep complete settings "$lab" "$rung" 2>/dev/null)"})
        compadd -S '' -- ${lines%%$'\t'*}
        return
      fi ;;
    rungs | books) lines=(${(f)"$(lockstep complete $source "$lab" 2>/dev/null)"}) ;;
    *) lines=(${(f)"$(lockstep complete $source 2>/dev/null)"}) ;;
  esac
  (($#lines)) || return 1
  candidates=(${${lines//:/\\:}/$'\t'/:})
  _describe -t $source $source candidates
}

_lockstep_any() {
  local source
  for source; do _lockstep_ask $source; done
  _files
}
