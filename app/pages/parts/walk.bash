_lockstep_ask() {
  "${_lockstep_program:-lockstep}" complete "$@" 2>/dev/null | cut -f 1
}

# Candidates of these kinds for the word at the cursor; of a setting NAME=VALUE those of its value.
_lockstep_offer() {
  local kind
  if [[ $1 == words ]]; then
    shift
    COMPREPLY+=($(compgen -W "$*" -- "$cur"))
    return
  fi
  for kind in "$@"; do
    case $kind in
      any) ;;
      files) compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen -f -- "$cur")) ;;
      folders) compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen -d -- "$cur")) ;;
      settings)
        if [[ $cur == *=* ]]; then
          COMPREPLY+=($(compgen -W "$(_lockstep_ask values "$lab" "${cur%%=*}")" -P "${cur%%=*}=" -- "${cur#*=}"))
        else
          compopt -o nospace 2>/dev/null
          COMPREPLY+=($(compgen -W "$(_lockstep_ask settings "$lab" "$rung")" -- "$cur"))
        fi ;;
      rungs) COMPREPLY+=($(compgen -W "$(_lockstep_ask rungs "$lab")" -- "$cur")) ;;
      books) COMPREPLY+=($(compgen -W "$(_lockstep_ask books "$lab")" -- "$cur")) ;;
      *) COMPREPLY+=($(compgen -W "$(_lockstep_ask "$kind")" -- "$cur")) ;;
    esac
  done
}

_lockstep() {
  local IFS=$' \t\n' line=${COMP_LINE:0:COMP_POINT} words=() cur verb= lab= rung= flag= place=0 i word
  COMPREPLY=()
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  local _lockstep_program=${words[0]}
  cur=${words[${#words[@]} - 1]}
  for ((i = 1; i < ${#words[@]} - 1; ++i)); do
    word=${words[i]}
    if [[ -n $flag ]]; then
      [[ $flag == --rung ]] && rung=$word
      flag=
    elif [[ $word == -* ]]; then
      [[ -n $(_lockstep_kind "$verb:$word") ]] && flag=$word
    elif ((place == 0)) && [[ " $(_lockstep_verbs "$verb") " == *" $word "* ]]; then
      verb=${verb:+$verb }$word
    else
      ((++place == 1)) && lab=$word
    fi
  done
  if [[ -n $flag ]]; then
    _lockstep_offer $(_lockstep_kind "$verb:$flag")
  elif [[ $cur == -* ]]; then
    _lockstep_offer words $(_lockstep_flags "$verb")
  else
    ((place == 0)) && _lockstep_offer words $(_lockstep_verbs "$verb")
    _lockstep_offer $(_lockstep_kind "$verb:$((place + 1))")
  fi
  # What stands before the last = is on the line already.
  if [[ $cur == *=* && $COMP_WORDBREAKS == *=* ]]; then
    COMPREPLY=("${COMPREPLY[@]#"${cur%"${cur##*=}"}"}")
  fi
}
complete -F _lockstep lockstep
