{{- /* What tells a pipeline's pods from others. A Deployment's cannot be changed, so it holds what never changes. */}}
{{- define "penstock-pipeline.selector" -}}
app.kubernetes.io/name: {{ .Values.name | quote }}
app.kubernetes.io/component: worker
{{- end }}

{{- /* Of everything that belongs to a pipeline. Helm writes itself into `managed-by` when it installs. */}}
{{- define "penstock-pipeline.labels" -}}
{{ include "penstock-pipeline.selector" . }}
app.kubernetes.io/part-of: penstock
app.kubernetes.io/managed-by: penstock
penstock.dev/team: {{ .Values.team | quote }}
{{- end }}

{{- /* The rest of an object's metadata, after its name. */}}
{{- define "penstock-pipeline.metadata" -}}
namespace: {{ .Values.namespace | default .Release.Namespace | quote }}
labels:
  {{- include "penstock-pipeline.labels" . | nindent 2 }}
{{- end }}

{{- /* As toYaml, which writes nothing where a text has control characters: then JSON, with YAML's escapes. */}}
{{- define "penstock-pipeline.yaml" -}}
{{- $text := toYaml . }}
{{- if not $text }}
  {{- $text = toJson . }}
  {{- range regexFindAll "[\\x7f-\\x9f\\x{feff}\\x{fffe}\\x{ffff}]" $text -1 | uniq }}
    {{- $text = replace . (printf "%+q" . | trimAll "\"") $text }}
  {{- end }}
{{- end }}
{{- $text }}
{{- end }}
