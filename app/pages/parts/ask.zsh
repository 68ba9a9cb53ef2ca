# Candidates with what they are, from the program itself.
_lockstep_ask() {
  local -a lines
  local name=$1 lab rung place
  lab=${words[(r)^(-*|lockstep|run|shot|clip|story|bench|record|export|exercise|show)]:-}
  place=${words[(I)--rung]}
  ((place)) && rung=${words[place + 1]}
  case $name in
    settings)
      if compset -P 1 '(#b)(*)='; then
        lines=(${(f)"$(_call_program lockstep lockstep complete values ${(q)lab} ${(q)match[1]})"})
      else
        lines=(${(f)"$(_call_program lockstep lockstep complete settings ${(q)lab} ${(q)rung})"})
        compadd -S '' -- ${lines%%$'\t'*}
        return
      fi ;;
    rungs | books) lines=(${(f)"$(_call_program lockstep lockstep complete $name ${(q)lab})"}) ;;
    *) lines=(${(f)"$(_call_program lockstep lockstep complete $name)"}) ;;
  esac
  lines=(${lines//:/\\:})
  _describe -t $name $name "lines=(${lines/$'\t'/:})" 2>/dev/null || compadd -- ${lines%%$'\t'*}
}

_lockstep_any() {
  local source
  for source; do _lockstep_ask $source; done
  _files
}
