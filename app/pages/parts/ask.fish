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

