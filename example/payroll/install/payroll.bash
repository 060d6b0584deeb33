# bash completion for payroll. Its words are read from `payroll ... --help` when they are asked for,
# so that it cannot say anything else.

_payroll() {
    local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local path=() given help commands choices=
    [ "$word" != = ] || word=
    [ "$before" != = ] || before=${COMP_WORDS[COMP_CWORD - 2]}
    help=$("$program" --help 2>/dev/null) || return 0
    for given in "${COMP_WORDS[@]:1:COMP_CWORD-1}" ''; do
        commands=$(awk '/^Subcommands.*:$/ { on = 1; next } /^[^ ]|^$/ { on = 0 } on && /^  [^ ]/ { print $1 }' <<<"$help")
        [ -n "$given" ] && grep -qxF -e "$given" <<<"$commands" || continue
        path+=("$given")
        help=$("$program" "${path[@]}" --help 2>/dev/null) || return 0
    done
    case "$before" in
    --*) choices=$(sed -nE "s/^ *$before \{([^}]*)\}.*/\1/p" <<<"$help" | tr , '\n') ;;
    esac
    if [ -z "$choices" ] && [[ "$word" = -* ]]; then
        choices=$(grep -oE '^  (-?[a-z]+,)?--[a-z][a-z0-9-]*' <<<"$help" | sed 's/.*--/--/')
    fi
    # Where neither is known, -o default completes names of files.
    COMPREPLY=($(compgen -W "${choices:-$commands}" -- "$word"))
}
complete -o default -F _payroll payroll
