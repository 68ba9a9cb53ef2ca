# fish completion of lockstep, made by `lockstep pages --completion fish`. Put it into ~/.config/fish/completions.
set -g __lockstep_verbs list run shot clip tour handout export new story words exercise pages bench record doctor
set -g __lockstep_exercise_verbs list show start check grade new codes
set -g __lockstep_takes --run --scene --compare --stories --recordings --rung --set --engine --block --warp --timeout --threads --lang --launch --args --with --input -I -D --save --size --scale --theme --pin --timeline --part --line --story --answer --step --panel --ground --width -o --output --lens --steps --fps --paper --template --exercises --seed --passphrase-file --app --completion --counters

# The words that were typed: the verb, and how many stand behind it.
function __lockstep_words
    set -l verb
    set -l others
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
        else if string match -qr '^-' -- $word
            contains -- $word $__lockstep_takes; and set skip 1
        else if test -z "$verb"; and contains -- $word $__lockstep_verbs
            set verb $word
        else if test "$verb" = exercise; and test (count $others) = 0; and contains -- $word $__lockstep_exercise_verbs
            set verb "exercise $word"
        else
            set -a others $word
        end
    end
    echo $verb
    set -q others[1]; and printf '%s\n' $others
end

# Is this the verb, and this the place of the word at the cursor?
function __lockstep_at
    set -l words (__lockstep_words)
    test "$words[1]" = "$argv[1]"; or return 1
    test (count $argv) = 1; or test (count $words) = $argv[2]
end

function __lockstep_ask
    set -l words (__lockstep_words)
    set -l line (commandline -opc)
    set -l rung ''
    set -l place (contains -i -- --rung $line); and set rung $line[(math $place + 1)]
    switch $argv[1]
        case settings
            set -l name (string split -m 1 = -- (commandline -ct))
            if test (count $name) = 2
                for value in (lockstep complete values "$words[2]" "$name[1]" 2>/dev/null)
                    echo "$name[1]=$value"
                end
            else
                lockstep complete settings "$words[2]" "$rung" 2>/dev/null
            end
        case rungs books
            lockstep complete $argv[1] "$words[2]" 2>/dev/null
        case '*'
            lockstep complete $argv[1] 2>/dev/null
    end
end

complete -c lockstep -f
complete -c lockstep -f -n '__lockstep_at \'\' 1' -a list -d 'labs, rungs and parameters'
complete -c lockstep -f -n '__lockstep_at \'\' 1' -a run -d 'run one rung and print its numbers'
complete -c lockstep -f -n '__lockstep_at \'\' 1' -a shot -d 'write a picture of one step, or a figure for a paper'
complete -c lockstep -f -n '__lockstep_at \'\' 1' -a clip -d 'write a stretch of steps as an animation (by ffmpeg), or as pictures'
complete -c lockstep -f -n '__lockstep_at \'\' 1' -a tour -d 'a lecture: its scenes in the window, its notes on a second one; without a file one picture per lab, which needs no display'
complete -c lockstep -f -n '__lockstep_at \'\' 1' -a handout -d 'a lecture on paper: a page per scene, room for the answer'
complete -c lockstep -f -n '__lockstep_at \'\' 1' -a export -d 'write a rung as a complete CUDA program'
complete -c lockstep -f -n '__lockstep_at \'\' 1' -a new -d 'write a small CUDA program to start from'
complete -c lockstep -f -n '__lockstep_at \'\' 1' -a story -d 'the stories, or one of them with its numbers computed'
complete -c lockstep -f -n '__lockstep_at \'\' 1' -a words -d 'the glossary'
complete -c lockstep -f -n '__lockstep_at \'\' 1' -a exercise -d 'guided exercises: list, show, start, check, grade, new, codes'
complete -c lockstep -f -n '__lockstep_at \'\' 1' -a pages -d 'stories, exercises, claims, glossary and manual as a web site without scripts'
complete -c lockstep -f -n '__lockstep_at \'\' 1' -a bench -d 'measure every rung on this GPU, or the program itself'
complete -c lockstep -f -n '__lockstep_at \'\' 1' -a record -d 'make recordings on this GPU'
complete -c lockstep -f -n '__lockstep_at \'\' 1' -a doctor -d 'which engines work here, and why the others do not'
complete -c lockstep -n '__lockstep_at \'\'' -s h -l help -f -d 'Print this help message and exit'
complete -c lockstep -n '__lockstep_at \'\'' -l run -r -F -d 'show a saved run'
complete -c lockstep -n '__lockstep_at \'\'' -l scene -r -F -d 'open a scene'
complete -c lockstep -n '__lockstep_at \'\'' -l compare -r -F -a '(__lockstep_ask rungs)' -d 'a second rung, a saved run, or another device\'s recording, beside the first'
complete -c lockstep -n '__lockstep_at \'\'' -l stories -x -a '(__fish_complete_directories)' -d 'folder with stories of your own (may be given several times)'
complete -c lockstep -n '__lockstep_at \'\'' -l recordings -x -a '(__fish_complete_directories)' -d 'folder with recordings (may be given several times)'
complete -c lockstep -n '__lockstep_at \'\' 1' -r -F
complete -c lockstep -n '__lockstep_at \'list\'' -s h -l help -f -d 'Print this help message and exit'
complete -c lockstep -n '__lockstep_at \'list\'' -l json -f -d 'as JSON'
complete -c lockstep -n '__lockstep_at \'run\'' -s h -l help -f -d 'Print this help message and exit'
complete -c lockstep -n '__lockstep_at \'run\'' -l rung -x -a '(__lockstep_ask rungs)' -d 'kernel of the lab\'s ladder'
complete -c lockstep -n '__lockstep_at \'run\'' -l set -x -a '(__lockstep_ask settings)' -d 'parameter of the lab (may be given several times)'
complete -c lockstep -n '__lockstep_at \'run\'' -l recordings -x -a '(__fish_complete_directories)' -d 'folder with recordings (may be given several times)'
complete -c lockstep -n '__lockstep_at \'run\'' -l engine -x -a 'auto cuda emulator recording' -d 'auto, cuda, emulator or recording'
complete -c lockstep -n '__lockstep_at \'run\'' -l block -x -d 'followed block: number, or x,y,z'
complete -c lockstep -n '__lockstep_at \'run\'' -l warp -x -d 'followed warp of the block'
complete -c lockstep -n '__lockstep_at \'run\'' -l timeout -x -d 'seconds after which the run is ended'
complete -c lockstep -n '__lockstep_at \'run\'' -l long -f -d 'go on past the emulator\'s work limit'
complete -c lockstep -n '__lockstep_at \'run\'' -l run -r -F -d 'a saved run in place of running'
complete -c lockstep -n '__lockstep_at \'run\'' -l threads -x -d 'of the emulator, else one per core; its results do not depend on it'
complete -c lockstep -n '__lockstep_at \'run\'' -l json -f -d 'one JSON object'
complete -c lockstep -n '__lockstep_at \'run\'' -l say -f -d 'each step in words, line by line, for a screen reader'
complete -c lockstep -n '__lockstep_at \'run\'' -l lang -x -a 'en zh' -d 'of --say: en or zh'
complete -c lockstep -n '__lockstep_at \'run\'' -l launch -x -d 'of a program: trace every block of this launch, from 1'
complete -c lockstep -n '__lockstep_at \'run\'' -l args -x -d 'of a program: what main() is given'
complete -c lockstep -n '__lockstep_at \'run\'' -l with -r -F -d 'of a program: a further source (may be given several times)'
complete -c lockstep -n '__lockstep_at \'run\'' -l input -r -F -d 'of a program: what it reads from its standard input'
complete -c lockstep -n '__lockstep_at \'run\'' -s I -x -a '(__fish_complete_directories)' -d 'of a program: a folder of headers (may be given several times)'
complete -c lockstep -n '__lockstep_at \'run\'' -s D -x -d 'of a program: a macro (may be given several times)'
complete -c lockstep -n '__lockstep_at \'run\'' -l all -f -d 'of a program: trace every block of every launch'
complete -c lockstep -n '__lockstep_at \'run\'' -l trust -f -d 'of a program: no sandbox'
complete -c lockstep -n '__lockstep_at \'run\'' -l save -r -F -d 'keep the run; .json holds the timeline\'s trace events too'
complete -c lockstep -n '__lockstep_at \'run\' 1' -r -F -a '(__lockstep_ask labs)'
complete -c lockstep -n '__lockstep_at \'shot\'' -s h -l help -f -d 'Print this help message and exit'
complete -c lockstep -n '__lockstep_at \'shot\'' -l rung -x -a '(__lockstep_ask rungs)' -d 'kernel of the lab\'s ladder'
complete -c lockstep -n '__lockstep_at \'shot\'' -l set -x -a '(__lockstep_ask settings)' -d 'parameter of the lab (may be given several times)'
complete -c lockstep -n '__lockstep_at \'shot\'' -l recordings -x -a '(__fish_complete_directories)' -d 'folder with recordings (may be given several times)'
complete -c lockstep -n '__lockstep_at \'shot\'' -l engine -x -a 'auto cuda emulator recording' -d 'auto, cuda, emulator or recording'
complete -c lockstep -n '__lockstep_at \'shot\'' -l block -x -d 'followed block: number, or x,y,z'
complete -c lockstep -n '__lockstep_at \'shot\'' -l warp -x -d 'followed warp of the block'
complete -c lockstep -n '__lockstep_at \'shot\'' -l timeout -x -d 'seconds after which the run is ended'
complete -c lockstep -n '__lockstep_at \'shot\'' -l long -f -d 'go on past the emulator\'s work limit'
complete -c lockstep -n '__lockstep_at \'shot\'' -l run -r -F -d 'a saved run in place of running'
complete -c lockstep -n '__lockstep_at \'shot\'' -l threads -x -d 'of the emulator, else one per core; its results do not depend on it'
complete -c lockstep -n '__lockstep_at \'shot\'' -l size -x -d '320x240 to 7680x4320'
complete -c lockstep -n '__lockstep_at \'shot\'' -l scale -x -d '0.5 to 4'
complete -c lockstep -n '__lockstep_at \'shot\'' -l theme -x -a 'light dark' -d 'light or dark'
complete -c lockstep -n '__lockstep_at \'shot\'' -l lang -x -a 'en zh' -d 'en or zh'
complete -c lockstep -n '__lockstep_at \'shot\'' -l compare -r -F -a '(__lockstep_ask rungs)' -d 'a second rung, a saved run, or another device\'s recording, beside the first'
complete -c lockstep -n '__lockstep_at \'shot\'' -l scene -r -F -d 'lab, rung, parameters and step from a file'
complete -c lockstep -n '__lockstep_at \'shot\'' -l pin -x -d 'an element to mark'
complete -c lockstep -n '__lockstep_at \'shot\'' -l timeline -x -d 'what of a timeline is shown, as in a scene'
complete -c lockstep -n '__lockstep_at \'shot\'' -l projector -f -d 'larger type and higher contrast'
complete -c lockstep -n '__lockstep_at \'shot\'' -l part -x -d 'of an exercise: this part, from 1'
complete -c lockstep -n '__lockstep_at \'shot\'' -l launch -x -d 'of a program: its launch, from 1'
complete -c lockstep -n '__lockstep_at \'shot\'' -l line -x -d 'of a program: where the launch first comes to this line'
complete -c lockstep -n '__lockstep_at \'shot\'' -l args -x -d 'of a program: what main() is given'
complete -c lockstep -n '__lockstep_at \'shot\'' -l story -x -d 'the lab as this scene of its story sets it, from 1'
complete -c lockstep -n '__lockstep_at \'shot\'' -l answer -x -d 'to that scene\'s question'
complete -c lockstep -n '__lockstep_at \'shot\'' -l stories -x -a '(__fish_complete_directories)' -d 'folder with stories of your own (may be given several times)'
complete -c lockstep -n '__lockstep_at \'shot\'' -l step -x -d 'position on the stepper, from 0'
complete -c lockstep -n '__lockstep_at \'shot\'' -l panel -x -d 'these panels as a figure with its caption: stage, headline, code, ladder, numbers, ...; a wrong name lists those of the lab'
complete -c lockstep -n '__lockstep_at \'shot\'' -l ground -x -a 'white theme dark' -d 'of the figure: white, theme or dark'
complete -c lockstep -n '__lockstep_at \'shot\'' -l width -x -d 'of the figure on paper, 40mm to 600mm (else 170mm), or 160px to 7680px'
complete -c lockstep -n '__lockstep_at \'shot\'' -l outlines -f -d 'the figure\'s text as curves, not as text in fonts that it brings'
complete -c lockstep -n '__lockstep_at \'shot\'' -l figure -f -d 'headline, stage and sentence as a figure of --size'
complete -c lockstep -n '__lockstep_at \'shot\'' -s o -l output -r -F -d 'the picture; .pdf for figures'
complete -c lockstep -n '__lockstep_at \'shot\'' -l notes -f -d 'of a tour (FILE.md --story N): what stands on the second window'
complete -c lockstep -n '__lockstep_at \'shot\'' -l lens -x -d 'the presentation, enlarged where the pointer is'
complete -c lockstep -n '__lockstep_at \'shot\' 1' -r -F -a '(__lockstep_ask subjects)'
complete -c lockstep -n '__lockstep_at \'shot\' 2' -x -a '(__lockstep_ask books)'
complete -c lockstep -n '__lockstep_at \'clip\'' -s h -l help -f -d 'Print this help message and exit'
complete -c lockstep -n '__lockstep_at \'clip\'' -l rung -x -a '(__lockstep_ask rungs)' -d 'kernel of the lab\'s ladder'
complete -c lockstep -n '__lockstep_at \'clip\'' -l set -x -a '(__lockstep_ask settings)' -d 'parameter of the lab (may be given several times)'
complete -c lockstep -n '__lockstep_at \'clip\'' -l recordings -x -a '(__fish_complete_directories)' -d 'folder with recordings (may be given several times)'
complete -c lockstep -n '__lockstep_at \'clip\'' -l engine -x -a 'auto cuda emulator recording' -d 'auto, cuda, emulator or recording'
complete -c lockstep -n '__lockstep_at \'clip\'' -l block -x -d 'followed block: number, or x,y,z'
complete -c lockstep -n '__lockstep_at \'clip\'' -l warp -x -d 'followed warp of the block'
complete -c lockstep -n '__lockstep_at \'clip\'' -l timeout -x -d 'seconds after which the run is ended'
complete -c lockstep -n '__lockstep_at \'clip\'' -l long -f -d 'go on past the emulator\'s work limit'
complete -c lockstep -n '__lockstep_at \'clip\'' -l run -r -F -d 'a saved run in place of running'
complete -c lockstep -n '__lockstep_at \'clip\'' -l threads -x -d 'of the emulator, else one per core; its results do not depend on it'
complete -c lockstep -n '__lockstep_at \'clip\'' -l size -x -d '320x240 to 7680x4320'
complete -c lockstep -n '__lockstep_at \'clip\'' -l scale -x -d '0.5 to 4'
complete -c lockstep -n '__lockstep_at \'clip\'' -l theme -x -a 'light dark' -d 'light or dark'
complete -c lockstep -n '__lockstep_at \'clip\'' -l lang -x -a 'en zh' -d 'en or zh'
complete -c lockstep -n '__lockstep_at \'clip\'' -l compare -r -F -a '(__lockstep_ask rungs)' -d 'a second rung, a saved run, or another device\'s recording, beside the first'
complete -c lockstep -n '__lockstep_at \'clip\'' -l scene -r -F -d 'lab, rung, parameters and step from a file'
complete -c lockstep -n '__lockstep_at \'clip\'' -l pin -x -d 'an element to mark'
complete -c lockstep -n '__lockstep_at \'clip\'' -l timeline -x -d 'what of a timeline is shown, as in a scene'
complete -c lockstep -n '__lockstep_at \'clip\'' -l projector -f -d 'larger type and higher contrast'
complete -c lockstep -n '__lockstep_at \'clip\'' -l panel -x -d 'these panels as a figure with its caption: stage, headline, code, ladder, numbers, ...; a wrong name lists those of the lab'
complete -c lockstep -n '__lockstep_at \'clip\'' -l ground -x -a 'white theme dark' -d 'of the figure: white, theme or dark'
complete -c lockstep -n '__lockstep_at \'clip\'' -l steps -x -d 'the first and the last step'
complete -c lockstep -n '__lockstep_at \'clip\'' -l fps -x -d 'pictures a second, 2 to 60; else 12. A step takes half a second'
complete -c lockstep -n '__lockstep_at \'clip\'' -s o -l output -r -F -d 'the animation, or a folder for its pictures'
complete -c lockstep -n '__lockstep_at \'clip\' 1' -x -a '(__lockstep_ask labs)'
complete -c lockstep -n '__lockstep_at \'tour\'' -s h -l help -f -d 'Print this help message and exit'
complete -c lockstep -n '__lockstep_at \'tour\'' -l scene -x -d 'begin with this one, from 1'
complete -c lockstep -n '__lockstep_at \'tour\'' -l arrows -f -d 'arrows walk the scenes, for a clicker that sends them'
complete -c lockstep -n '__lockstep_at \'tour\'' -l stories -x -a '(__fish_complete_directories)' -d 'folder with stories of your own (may be given several times)'
complete -c lockstep -n '__lockstep_at \'tour\'' -l size -x -d '320x240 to 7680x4320'
complete -c lockstep -n '__lockstep_at \'tour\'' -l scale -x -d '0.5 to 4'
complete -c lockstep -n '__lockstep_at \'tour\'' -l theme -x -a 'light dark' -d 'light or dark'
complete -c lockstep -n '__lockstep_at \'tour\'' -l lang -x -a 'en zh' -d 'en or zh'
complete -c lockstep -n '__lockstep_at \'tour\'' -l recordings -x -a '(__fish_complete_directories)' -d 'folder with recordings (may be given several times)'
complete -c lockstep -n '__lockstep_at \'tour\'' -l engine -x -a 'auto cuda emulator recording' -d 'auto, cuda, emulator or recording'
complete -c lockstep -n '__lockstep_at \'tour\'' -s o -l output -x -a '(__fish_complete_directories)' -d 'folder, else ./lockstep-tour'
complete -c lockstep -n '__lockstep_at \'tour\' 1' -r -F -a '(__lockstep_ask tours)'
complete -c lockstep -n '__lockstep_at \'handout\'' -s h -l help -f -d 'Print this help message and exit'
complete -c lockstep -n '__lockstep_at \'handout\'' -l paper -x -a 'a4 letter' -d 'a4 or letter; else a4'
complete -c lockstep -n '__lockstep_at \'handout\'' -l solutions -f -d 'what the run answers, and why, in place of the room'
complete -c lockstep -n '__lockstep_at \'handout\'' -l lang -x -a 'en zh' -d 'en or zh'
complete -c lockstep -n '__lockstep_at \'handout\'' -l engine -x -a 'auto cuda emulator recording' -d 'auto, cuda, emulator or recording'
complete -c lockstep -n '__lockstep_at \'handout\'' -l stories -x -a '(__fish_complete_directories)' -d 'folder with stories of your own (may be given several times)'
complete -c lockstep -n '__lockstep_at \'handout\'' -l recordings -x -a '(__fish_complete_directories)' -d 'folder with recordings (may be given several times)'
complete -c lockstep -n '__lockstep_at \'handout\'' -s o -l output -r -F -d 'the hand-out'
complete -c lockstep -n '__lockstep_at \'handout\' 1' -r -F -a '(__lockstep_ask tours)'
complete -c lockstep -n '__lockstep_at \'export\'' -s h -l help -f -d 'Print this help message and exit'
complete -c lockstep -n '__lockstep_at \'export\'' -l set -x -a '(__lockstep_ask settings)' -d 'parameter of the lab (may be given several times)'
complete -c lockstep -n '__lockstep_at \'export\'' -s o -l output -r -F -d 'the program, else standard output'
complete -c lockstep -n '__lockstep_at \'export\' 1' -x -a '(__lockstep_ask kernels)'
complete -c lockstep -n '__lockstep_at \'new\'' -s h -l help -f -d 'Print this help message and exit'
complete -c lockstep -n '__lockstep_at \'new\'' -l template -x -a '(__lockstep_ask templates)' -d 'vector_add (else this one), reduction, transpose, histogram, scan, matrix_product'
complete -c lockstep -n '__lockstep_at \'story\'' -s h -l help -f -d 'Print this help message and exit'
complete -c lockstep -n '__lockstep_at \'story\'' -l scene -x -d 'this scene alone, from 1'
complete -c lockstep -n '__lockstep_at \'story\'' -l answer -x -d 'is it right? exit 0 or 1'
complete -c lockstep -n '__lockstep_at \'story\'' -l lang -x -a 'en zh' -d 'en or zh'
complete -c lockstep -n '__lockstep_at \'story\'' -l stories -x -a '(__fish_complete_directories)' -d 'folder with stories of your own (may be given several times)'
complete -c lockstep -n '__lockstep_at \'story\'' -l json -f -d 'as JSON'
complete -c lockstep -n '__lockstep_at \'story\'' -l recordings -x -a '(__fish_complete_directories)' -d 'folder with recordings (may be given several times)'
complete -c lockstep -n '__lockstep_at \'story\' 1' -r -F -a '(__lockstep_ask labs)'
complete -c lockstep -n '__lockstep_at \'words\'' -s h -l help -f -d 'Print this help message and exit'
complete -c lockstep -n '__lockstep_at \'words\'' -l lang -x -a 'en zh' -d 'en or zh'
complete -c lockstep -n '__lockstep_at \'words\'' -l stories -x -a '(__fish_complete_directories)' -d 'folder with stories of your own (may be given several times)'
complete -c lockstep -n '__lockstep_at \'words\'' -l json -f -d 'as JSON'
complete -c lockstep -f -n '__lockstep_at \'exercise\' 1' -a list -d 'every exercise that there is'
complete -c lockstep -f -n '__lockstep_at \'exercise\' 1' -a show -d 'one exercise with the numbers of a code'
complete -c lockstep -f -n '__lockstep_at \'exercise\' 1' -a start -d 'write the program that an exercise starts from'
complete -c lockstep -f -n '__lockstep_at \'exercise\' 1' -a check -d 'a student\'s answers or kernel, or an exercise that you wrote'
complete -c lockstep -f -n '__lockstep_at \'exercise\' 1' -a grade -d 'the answers of a class, worked out anew'
complete -c lockstep -f -n '__lockstep_at \'exercise\' 1' -a new -d 'write a small exercise to start from'
complete -c lockstep -f -n '__lockstep_at \'exercise\' 1' -a codes -d 'a code for each student: what makes the numbers theirs'
complete -c lockstep -n '__lockstep_at \'exercise\'' -s h -l help -f -d 'Print this help message and exit'
complete -c lockstep -n '__lockstep_at \'exercise list\'' -s h -l help -f -d 'Print this help message and exit'
complete -c lockstep -n '__lockstep_at \'exercise list\'' -l exercises -x -a '(__fish_complete_directories)' -d 'folder with exercises of your own (may be given several times)'
complete -c lockstep -n '__lockstep_at \'exercise list\'' -l json -f -d 'as JSON'
complete -c lockstep -n '__lockstep_at \'exercise list\'' -l lang -x -a 'en zh' -d 'en or zh'
complete -c lockstep -n '__lockstep_at \'exercise show\'' -s h -l help -f -d 'Print this help message and exit'
complete -c lockstep -n '__lockstep_at \'exercise show\'' -l exercises -x -a '(__fish_complete_directories)' -d 'folder with exercises of your own (may be given several times)'
complete -c lockstep -n '__lockstep_at \'exercise show\'' -l json -f -d 'as JSON'
complete -c lockstep -n '__lockstep_at \'exercise show\'' -l seed -x -d 'a student\'s code; else the default numbers'
complete -c lockstep -n '__lockstep_at \'exercise show\'' -l solutions -f -d 'with hints, answers and explanations'
complete -c lockstep -n '__lockstep_at \'exercise show\'' -l lang -x -a 'en zh' -d 'en or zh'
complete -c lockstep -n '__lockstep_at \'exercise show\'' -l recordings -x -a '(__fish_complete_directories)' -d 'folder with recordings (may be given several times)'
complete -c lockstep -n '__lockstep_at \'exercise show\' 1' -r -F -a '(__lockstep_ask exercises)'
complete -c lockstep -n '__lockstep_at \'exercise start\'' -s h -l help -f -d 'Print this help message and exit'
complete -c lockstep -n '__lockstep_at \'exercise start\'' -l exercises -x -a '(__fish_complete_directories)' -d 'folder with exercises of your own (may be given several times)'
complete -c lockstep -n '__lockstep_at \'exercise start\'' -l json -f -d 'as JSON'
complete -c lockstep -n '__lockstep_at \'exercise start\'' -s o -l output -r -F -d 'the file; NAME.cu where it is not given'
complete -c lockstep -n '__lockstep_at \'exercise start\' 1' -x -a '(__lockstep_ask exercises)'
complete -c lockstep -n '__lockstep_at \'exercise check\'' -s h -l help -f -d 'Print this help message and exit'
complete -c lockstep -n '__lockstep_at \'exercise check\'' -l exercises -x -a '(__fish_complete_directories)' -d 'folder with exercises of your own (may be given several times)'
complete -c lockstep -n '__lockstep_at \'exercise check\'' -l json -f -d 'as JSON'
complete -c lockstep -n '__lockstep_at \'exercise check\'' -l seed -x -d 'of a kernel: a student\'s code'
complete -c lockstep -n '__lockstep_at \'exercise check\'' -l passphrase-file -r -F -d 'its first line is your passphrase; else LOCKSTEP_PASSPHRASE'
complete -c lockstep -n '__lockstep_at \'exercise check\'' -l recordings -x -a '(__fish_complete_directories)' -d 'folder with recordings (may be given several times)'
complete -c lockstep -n '__lockstep_at \'exercise check\' 1' -r -F -a '(__lockstep_ask exercises)'
complete -c lockstep -n '__lockstep_at \'exercise check\' 2' -r -F
complete -c lockstep -n '__lockstep_at \'exercise grade\'' -s h -l help -f -d 'Print this help message and exit'
complete -c lockstep -n '__lockstep_at \'exercise grade\'' -l exercises -x -a '(__fish_complete_directories)' -d 'folder with exercises of your own (may be given several times)'
complete -c lockstep -n '__lockstep_at \'exercise grade\'' -l json -f -d 'as JSON'
complete -c lockstep -n '__lockstep_at \'exercise grade\'' -l csv -f -d 'a line for each file'
complete -c lockstep -n '__lockstep_at \'exercise grade\'' -l passphrase-file -r -F -d 'its first line is your passphrase; else LOCKSTEP_PASSPHRASE'
complete -c lockstep -n '__lockstep_at \'exercise grade\'' -l recordings -x -a '(__fish_complete_directories)' -d 'folder with recordings (may be given several times)'
complete -c lockstep -n '__lockstep_at \'exercise grade\' 1' -x -a '(__fish_complete_directories)'
complete -c lockstep -n '__lockstep_at \'exercise new\'' -s h -l help -f -d 'Print this help message and exit'
complete -c lockstep -n '__lockstep_at \'exercise new\'' -l exercises -x -a '(__fish_complete_directories)' -d 'folder with exercises of your own (may be given several times)'
complete -c lockstep -n '__lockstep_at \'exercise codes\'' -s h -l help -f -d 'Print this help message and exit'
complete -c lockstep -n '__lockstep_at \'exercise codes\'' -l exercises -x -a '(__fish_complete_directories)' -d 'folder with exercises of your own (may be given several times)'
complete -c lockstep -n '__lockstep_at \'exercise codes\'' -l json -f -d 'as JSON'
complete -c lockstep -n '__lockstep_at \'exercise codes\'' -l passphrase-file -r -F -d 'its first line is your passphrase; else LOCKSTEP_PASSPHRASE'
complete -c lockstep -n '__lockstep_at \'pages\'' -s h -l help -f -d 'Print this help message and exit'
complete -c lockstep -n '__lockstep_at \'pages\'' -s o -l output -x -a '(__fish_complete_directories)' -d 'the site\'s folder, else where the window looks for it'
complete -c lockstep -n '__lockstep_at \'pages\'' -l app -x -d 'where the program itself is on the web; else app/ beside the pages'
complete -c lockstep -n '__lockstep_at \'pages\'' -l man -f -d 'the manual page instead, to standard output or into a file'
complete -c lockstep -n '__lockstep_at \'pages\'' -l completion -x -a 'bash zsh fish' -d 'what completes in a shell instead: bash, zsh or fish'
complete -c lockstep -n '__lockstep_at \'pages\'' -l stories -x -a '(__fish_complete_directories)' -d 'folder with stories of your own (may be given several times)'
complete -c lockstep -n '__lockstep_at \'pages\'' -l exercises -x -a '(__fish_complete_directories)' -d 'folder with exercises of your own (may be given several times)'
complete -c lockstep -n '__lockstep_at \'pages\'' -l recordings -x -a '(__fish_complete_directories)' -d 'folder with recordings (may be given several times)'
complete -c lockstep -n '__lockstep_at \'bench\'' -s h -l help -f -d 'Print this help message and exit'
complete -c lockstep -n '__lockstep_at \'bench\'' -l json -f -d 'as JSON'
complete -c lockstep -n '__lockstep_at \'bench\'' -l rung -x -a '(__lockstep_ask rungs)' -d 'this rung alone'
complete -c lockstep -n '__lockstep_at \'bench\'' -l timeout -x -d 'seconds for each run'
complete -c lockstep -n '__lockstep_at \'bench\'' -l threads -x -d 'of the emulator, else one per core; its results do not depend on it'
complete -c lockstep -n '__lockstep_at \'bench\' 1' -x -a '(__lockstep_ask labs)'
complete -c lockstep -n '__lockstep_at \'record\'' -s h -l help -f -d 'Print this help message and exit'
complete -c lockstep -n '__lockstep_at \'record\'' -l rung -x -a '(__lockstep_ask rungs)' -d 'this rung alone'
complete -c lockstep -n '__lockstep_at \'record\'' -l timeout -x -d 'seconds for each run'
complete -c lockstep -n '__lockstep_at \'record\'' -s o -l output -x -a '(__fish_complete_directories)' -d 'folder, else assets/recordings'
complete -c lockstep -n '__lockstep_at \'record\'' -l counters -r -F -d 'what scripts/validate.py counted with the profiler'
complete -c lockstep -n '__lockstep_at \'record\' 1' -x -a '(__lockstep_ask labs)'
complete -c lockstep -n '__lockstep_at \'doctor\'' -s h -l help -f -d 'Print this help message and exit'
complete -c lockstep -n '__lockstep_at \'doctor\'' -l test -f -d 'and runs every lab once, held against its check; exit 1 if one is wrong'
complete -c lockstep -n '__lockstep_at \'doctor\'' -l device -f -d 'what the driver says of this GPU, explained, beside what data sheets say; without a GPU what recordings hold'
complete -c lockstep -n '__lockstep_at \'doctor\'' -l recordings -x -a '(__fish_complete_directories)' -d 'folder with recordings (may be given several times)'
