{{- /* An object, (list . "Deployment"), after its patches. */}}
{{- define "penstock.object" -}}
{{- $root := first . }}
{{- $kind := last . }}
{{- $text := include (printf "penstock.%s" $kind) $root }}
{{- $patches := list }}
{{- range $root.Values.patches }}
  {{- if eq .target $kind }}
    {{- $patches = append $patches . }}
  {{- end }}
{{- end }}
{{- if and $text $patches }}
  {{- $object := fromYaml $text }}
  {{- range $patches }}
    {{- $steps := list }}
    {{- range splitList "/" .path | rest }}
      {{- $steps = append $steps (. | replace "~1" "/" | replace "~0" "~") }}
    {{- end }}
    {{- $object = get (include "penstock.patched" (dict "it" $object "steps" $steps "patch" .) | fromJson) "it" }}
  {{- end }}
  {{- include "penstock.yaml" $object }}
{{- else }}
  {{- $text }}
{{- end }}
{{- end }}

{{- /* `it` after a patch at the end of the steps, as {"it": ...} in JSON, because a template can only return text. */}}
{{- define "penstock.patched" -}}
{{- $it := .it }}
{{- $patch := .patch }}
{{- $step := first .steps }}
{{- $below := rest .steps }}
{{- $adds := and (not $below) (eq $patch.op "add") }}
{{- $nowhere := printf "patches: %s does not exist in the %s: there is no `%s`" $patch.path $patch.target $step }}
{{- if kindIs "map" $it }}
  {{- if not (or $adds (hasKey $it $step)) }}
    {{- fail $nowhere }}
  {{- end }}
  {{- if $below }}
    {{- $deeper := dict "it" (get $it $step) "steps" $below "patch" $patch }}
    {{- $_ := set $it $step (get (include "penstock.patched" $deeper | fromJson) "it") }}
  {{- else if eq $patch.op "remove" }}
    {{- $_ := unset $it $step }}
  {{- else }}
    {{- $_ := set $it $step $patch.value }}
  {{- end }}
{{- else if kindIs "slice" $it }}
  {{- $last := ternary (len $it) (sub (len $it) 1 | int) $adds }}
  {{- $place := -1 }}
  {{- if and $adds (eq $step "-") }}
    {{- $place = $last }}
  {{- else if regexMatch "^(0|[1-9][0-9]{0,5})$" $step }}
    {{- $place = atoi $step }}
  {{- end }}
  {{- if or (lt $place 0) (gt $place $last) }}
    {{- fail $nowhere }}
  {{- end }}
  {{- $items := list }}
  {{- range $index, $item := $it }}
    {{- if ne $index $place }}
      {{- $items = append $items $item }}
    {{- else if $below }}
      {{- $deeper := dict "it" $item "steps" $below "patch" $patch }}
      {{- $items = append $items (get (include "penstock.patched" $deeper | fromJson) "it") }}
    {{- else if $adds }}
      {{- $items = append (append $items $patch.value) $item }}
    {{- else if eq $patch.op "replace" }}
      {{- $items = append $items $patch.value }}
    {{- end }}
  {{- end }}
  {{- if eq $place (len $it) }}
    {{- $items = append $items $patch.value }}
  {{- end }}
  {{- $it = $items }}
{{- else }}
  {{- fail $nowhere }}
{{- end }}
{{- dict "it" $it | toJson }}
{{- end }}
