{{- /* The labels that select the pods. A Deployment's selector is immutable, so it has only what never changes. */}}
{{- define "penstock.selector" -}}
app.kubernetes.io/name: {{ .Values.name | quote }}
app.kubernetes.io/component: {{ .Values.role | quote }}
{{- end }}

{{- /* The labels of all objects. Helm sets `managed-by` to itself when it installs. */}}
{{- define "penstock.labels" -}}
{{ include "penstock.selector" . }}
app.kubernetes.io/part-of: penstock
app.kubernetes.io/managed-by: penstock
penstock.dev/team: {{ .Values.team | quote }}
{{- end }}

{{- /* The rest of an object's metadata, after its name. */}}
{{- define "penstock.metadata" -}}
namespace: {{ .Values.namespace | default .Release.Namespace | quote }}
labels:
  {{- include "penstock.labels" . | nindent 2 }}
{{- end }}

{{- /* More labels after that, by which other programs discover the object. */}}
{{- define "penstock.found" -}}
{{- range $name, $value := . }}
    {{ $name | quote }}: {{ $value | quote }}
{{- end }}
{{- end }}

{{- /* Like toYaml, which writes nothing if a text has control characters: then JSON, with YAML's escapes. */}}
{{- define "penstock.yaml" -}}
{{- $text := toYaml . }}
{{- if not $text }}
  {{- $text = toJson . }}
  {{- range regexFindAll "[\\x7f-\\x9f\\x{feff}\\x{fffe}\\x{ffff}]" $text -1 | uniq }}
    {{- $text = replace . (printf "%+q" . | trimAll "\"") $text }}
  {{- end }}
{{- end }}
{{- $text }}
{{- end }}
