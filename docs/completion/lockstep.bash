# bash completion of lockstep, made by `lockstep pages --completion bash`. Source it, or put it into
# ~/.local/share/bash-completion/completions/lockstep
_lockstep_verbs() {
  case $1 in
    '') echo 'list run shot clip tour handout export new story words exercise pages bench record doctor' ;;
    'exercise') echo 'list show start check grade new codes' ;;
  esac
}

_lockstep_flags() {
  case $1 in
    '') echo '-h --help --run --scene --compare --stories --recordings' ;;
    'list') echo '-h --help --json' ;;
    'run') echo '-h --help --rung --set --recordings --engine --block --warp --timeout --long --run --threads --json --say --lang --launch --args --with --input -I -D --all --trust --save' ;;
    'shot') echo '-h --help --rung --set --recordings --engine --block --warp --timeout --long --run --threads --size --scale --theme --lang --compare --scene --pin --timeline --projector --part --launch --line --args --story --answer --stories --step --panel --ground --width --outlines --figure -o --output --notes --lens' ;;
    'clip') echo '-h --help --rung --set --recordings --engine --block --warp --timeout --long --run --threads --size --scale --theme --lang --compare --scene --pin --timeline --projector --panel --ground --steps --fps -o --output' ;;
    'tour') echo '-h --help --scene --arrows --stories --size --scale --theme --lang --recordings --engine -o --output' ;;
    'handout') echo '-h --help --paper --solutions --lang --engine --stories --recordings -o --output' ;;
    'export') echo '-h --help --set -o --output' ;;
    'new') echo '-h --help --template' ;;
    'story') echo '-h --help --scene --answer --lang --stories --json --recordings' ;;
    'words') echo '-h --help --lang --stories --json' ;;
    'exercise') echo '-h --help' ;;
    'exercise list') echo '-h --help --exercises --json --lang' ;;
    'exercise show') echo '-h --help --exercises --json --seed --solutions --lang --recordings' ;;
    'exercise start') echo '-h --help --exercises --json -o --output' ;;
    'exercise check') echo '-h --help --exercises --json --seed --passphrase-file --recordings' ;;
    'exercise grade') echo '-h --help --exercises --json --csv --passphrase-file --recordings' ;;
    'exercise new') echo '-h --help --exercises' ;;
    'exercise codes') echo '-h --help --exercises --json --passphrase-file' ;;
    'pages') echo '-h --help -o --output --app --man --completion --stories --exercises --recordings' ;;
    'bench') echo '-h --help --json --rung --timeout --threads' ;;
    'record') echo '-h --help --rung --timeout -o --output --counters' ;;
    'doctor') echo '-h --help --test --device --recordings' ;;
  esac
}

# What stands behind a flag of a verb, or as its first word, second word ...
_lockstep_kind() {
  case $1 in
    ':--run') echo 'files' ;;
    ':--scene') echo 'files' ;;
    ':--compare') echo 'rungs files' ;;
    ':--stories') echo 'folders' ;;
    ':--recordings') echo 'folders' ;;
    ':1') echo 'files' ;;
    'run:--rung') echo 'rungs' ;;
    'run:--set') echo 'settings' ;;
    'run:--recordings') echo 'folders' ;;
    'run:--engine') echo 'words auto cuda emulator recording' ;;
    'run:--block') echo 'any' ;;
    'run:--warp') echo 'any' ;;
    'run:--timeout') echo 'any' ;;
    'run:--run') echo 'files' ;;
    'run:--threads') echo 'any' ;;
    'run:--lang') echo 'words en zh' ;;
    'run:--launch') echo 'any' ;;
    'run:--args') echo 'any' ;;
    'run:--with') echo 'files' ;;
    'run:--input') echo 'files' ;;
    'run:-I') echo 'folders' ;;
    'run:-D') echo 'any' ;;
    'run:--save') echo 'files' ;;
    'run:1') echo 'labs files' ;;
    'shot:--rung') echo 'rungs' ;;
    'shot:--set') echo 'settings' ;;
    'shot:--recordings') echo 'folders' ;;
    'shot:--engine') echo 'words auto cuda emulator recording' ;;
    'shot:--block') echo 'any' ;;
    'shot:--warp') echo 'any' ;;
    'shot:--timeout') echo 'any' ;;
    'shot:--run') echo 'files' ;;
    'shot:--threads') echo 'any' ;;
    'shot:--size') echo 'any' ;;
    'shot:--scale') echo 'any' ;;
    'shot:--theme') echo 'words light dark' ;;
    'shot:--lang') echo 'words en zh' ;;
    'shot:--compare') echo 'rungs files' ;;
    'shot:--scene') echo 'files' ;;
    'shot:--pin') echo 'any' ;;
    'shot:--timeline') echo 'any' ;;
    'shot:--part') echo 'any' ;;
    'shot:--launch') echo 'any' ;;
    'shot:--line') echo 'any' ;;
    'shot:--args') echo 'any' ;;
    'shot:--story') echo 'any' ;;
    'shot:--answer') echo 'any' ;;
    'shot:--stories') echo 'folders' ;;
    'shot:--step') echo 'any' ;;
    'shot:--panel') echo 'any' ;;
    'shot:--ground') echo 'words white theme dark' ;;
    'shot:--width') echo 'any' ;;
    'shot:-o' | 'shot:--output') echo 'files' ;;
    'shot:--lens') echo 'any' ;;
    'shot:1') echo 'subjects files' ;;
    'shot:2') echo 'books' ;;
    'clip:--rung') echo 'rungs' ;;
    'clip:--set') echo 'settings' ;;
    'clip:--recordings') echo 'folders' ;;
    'clip:--engine') echo 'words auto cuda emulator recording' ;;
    'clip:--block') echo 'any' ;;
    'clip:--warp') echo 'any' ;;
    'clip:--timeout') echo 'any' ;;
    'clip:--run') echo 'files' ;;
    'clip:--threads') echo 'any' ;;
    'clip:--size') echo 'any' ;;
    'clip:--scale') echo 'any' ;;
    'clip:--theme') echo 'words light dark' ;;
    'clip:--lang') echo 'words en zh' ;;
    'clip:--compare') echo 'rungs files' ;;
    'clip:--scene') echo 'files' ;;
    'clip:--pin') echo 'any' ;;
    'clip:--timeline') echo 'any' ;;
    'clip:--panel') echo 'any' ;;
    'clip:--ground') echo 'words white theme dark' ;;
    'clip:--steps') echo 'any' ;;
    'clip:--fps') echo 'any' ;;
    'clip:-o' | 'clip:--output') echo 'files' ;;
    'clip:1') echo 'labs' ;;
    'tour:--scene') echo 'any' ;;
    'tour:--stories') echo 'folders' ;;
    'tour:--size') echo 'any' ;;
    'tour:--scale') echo 'any' ;;
    'tour:--theme') echo 'words light dark' ;;
    'tour:--lang') echo 'words en zh' ;;
    'tour:--recordings') echo 'folders' ;;
    'tour:--engine') echo 'words auto cuda emulator recording' ;;
    'tour:-o' | 'tour:--output') echo 'folders' ;;
    'tour:1') echo 'tours files' ;;
    'handout:--paper') echo 'words a4 letter' ;;
    'handout:--lang') echo 'words en zh' ;;
    'handout:--engine') echo 'words auto cuda emulator recording' ;;
    'handout:--stories') echo 'folders' ;;
    'handout:--recordings') echo 'folders' ;;
    'handout:-o' | 'handout:--output') echo 'files' ;;
    'handout:1') echo 'tours files' ;;
    'export:--set') echo 'settings' ;;
    'export:-o' | 'export:--output') echo 'files' ;;
    'export:1') echo 'kernels' ;;
    'new:--template') echo 'templates' ;;
    'new:1') echo 'any' ;;
    'story:--scene') echo 'any' ;;
    'story:--answer') echo 'any' ;;
    'story:--lang') echo 'words en zh' ;;
    'story:--stories') echo 'folders' ;;
    'story:--recordings') echo 'folders' ;;
    'story:1') echo 'labs files' ;;
    'words:--lang') echo 'words en zh' ;;
    'words:--stories') echo 'folders' ;;
    'exercise list:--exercises') echo 'folders' ;;
    'exercise list:--lang') echo 'words en zh' ;;
    'exercise show:--exercises') echo 'folders' ;;
    'exercise show:--seed') echo 'any' ;;
    'exercise show:--lang') echo 'words en zh' ;;
    'exercise show:--recordings') echo 'folders' ;;
    'exercise show:1') echo 'exercises files' ;;
    'exercise start:--exercises') echo 'folders' ;;
    'exercise start:-o' | 'exercise start:--output') echo 'files' ;;
    'exercise start:1') echo 'exercises' ;;
    'exercise check:--exercises') echo 'folders' ;;
    'exercise check:--seed') echo 'any' ;;
    'exercise check:--passphrase-file') echo 'files' ;;
    'exercise check:--recordings') echo 'folders' ;;
    'exercise check:1') echo 'exercises files' ;;
    'exercise check:2') echo 'files' ;;
    'exercise grade:--exercises') echo 'folders' ;;
    'exercise grade:--passphrase-file') echo 'files' ;;
    'exercise grade:--recordings') echo 'folders' ;;
    'exercise grade:1') echo 'folders' ;;
    'exercise new:--exercises') echo 'folders' ;;
    'exercise new:1') echo 'any' ;;
    'exercise codes:--exercises') echo 'folders' ;;
    'exercise codes:--passphrase-file') echo 'files' ;;
    'exercise codes:'*) echo 'any' ;;
    'pages:-o' | 'pages:--output') echo 'folders' ;;
    'pages:--app') echo 'any' ;;
    'pages:--completion') echo 'words bash zsh fish' ;;
    'pages:--stories') echo 'folders' ;;
    'pages:--exercises') echo 'folders' ;;
    'pages:--recordings') echo 'folders' ;;
    'bench:--rung') echo 'rungs' ;;
    'bench:--timeout') echo 'any' ;;
    'bench:--threads') echo 'any' ;;
    'bench:1') echo 'labs' ;;
    'record:--rung') echo 'rungs' ;;
    'record:--timeout') echo 'any' ;;
    'record:-o' | 'record:--output') echo 'folders' ;;
    'record:--counters') echo 'files' ;;
    'record:1') echo 'labs' ;;
    'doctor:--recordings') echo 'folders' ;;
  esac
}

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
