{{- define "baton.name" -}}
{{- if contains "baton" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-baton" .Release.Name | trunc 40 | trimSuffix "-" }}{{ end -}}
{{- end }}

{{- define "baton.selector" -}}
app.kubernetes.io/name: baton
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "baton.labels" -}}
{{ include "baton.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: baton
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- /* Image of a program. Arguments: root, program, tag. */}}
{{- define "baton.image" -}}
{{ .root.Values.image.prefix }}/{{ .program }}:{{ .tag | default .root.Values.image.tag | default .root.Chart.AppVersion }}
{{- end }}

{{- /* One line of a properties file. Arguments: key, value. */}}
{{- define "baton.property" -}}
{{- $value := toString .value }}
{{- if contains "${" $value }}
{{- fail (printf "%s: the value contains ${, which Baton would replace by another setting; write it without" .key) }}
{{- end }}
{{ .key }}={{ $value | replace "\\" "\\\\" | replace "\n" "\\n" }}
{{- end }}

{{- define "baton.pairs" -}}
{{- $lines := list }}
{{- range $key, $value := . }}{{ $lines = append $lines (printf "%s=%v" $key $value) }}{{ end }}
{{- join "\n" $lines }}
{{- end }}

{{- /* Settings of the pods of a launcher or pool. Arguments: prefix, settings. */}}
{{- define "baton.pods" -}}
{{- $prefix := .prefix }}
{{- $settings := .settings }}
{{- range $value, $key := dict "image" "container.image" "memory" "container.memory" "cpus" "container.cpus" "workSize" "container.work-size" "tmpSize" "container.tmp-size" "requestedMemory" "pod.requested-memory" "requestedCpus" "pod.requested-cpus" "grace" "pod.grace" "priorityClass" "pod.priority-class" }}
{{- if hasKey $settings $value }}
{{- include "baton.property" (dict "key" (printf "%s.%s" $prefix $key) "value" (index $settings $value)) }}
{{- end }}
{{- end }}
{{- with $settings.environment }}
{{- include "baton.property" (dict "key" (printf "%s.container.environment" $prefix) "value" (include "baton.pairs" .)) }}
{{- end }}
{{- with $settings.nodeSelector }}
{{- include "baton.property" (dict "key" (printf "%s.pod.node-selector" $prefix) "value" (include "baton.pairs" .)) }}
{{- end }}
{{- with $settings.tolerations }}
{{- include "baton.property" (dict "key" (printf "%s.pod.tolerations" $prefix) "value" (join "\n" .)) }}
{{- end }}
{{- end }}

{{- define "baton.host" -}}
{{ include "baton.name" .root }}-{{ .component }}.{{ .root.Release.Namespace }}.svc.{{ .root.Values.clusterDomain }}
{{- end }}

{{- define "baton.storeUrl" -}}
{{ .Values.checkpointStore.advertisedUrl | default (printf "http://%s:8082" (include "baton.host" (dict "root" . "component" "checkpoint-store"))) }}
{{- end }}

{{- define "baton.orchestratorUrl" -}}
{{ .Values.orchestrator.advertisedUrl | default (printf "http://%s:7070" (include "baton.host" (dict "root" . "component" "orchestrator"))) }}
{{- end }}

{{- /* Hosts under which a service is reached. Arguments: root, component, also (a list). */}}
{{- define "baton.hosts" -}}
{{- $service := printf "%s-%s" (include "baton.name" .root) .component }}
{{- $inNamespace := printf "%s.%s" $service .root.Release.Namespace }}
{{- $hosts := list $service $inNamespace (printf "%s.svc" $inNamespace) (printf "%s.svc.%s" $inNamespace .root.Values.clusterDomain) }}
{{- range .also }}{{ if . }}{{ $hosts = append $hosts . }}{{ end }}{{ end }}
{{- join "," ($hosts | uniq) }}
{{- end }}

{{- define "baton.urlHost" -}}
{{- if . }}{{ (urlParse .).hostname }}{{ end }}
{{- end }}

{{- define "baton.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "baton.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{- /* Probes of a service on its port "http". */}}
{{- define "baton.probes" -}}
startupProbe:
  httpGet: {path: /q/health/started, port: http}
  periodSeconds: 2
  timeoutSeconds: 5
  failureThreshold: 90
livenessProbe:
  httpGet: {path: /q/health/live, port: http}
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: {path: /q/health/ready, port: http}
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: 3
{{- end }}

{{- define "baton.scheduling" -}}
{{- with .nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .topologySpreadConstraints }}
topologySpreadConstraints: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end }}

{{- /* What both services have in their settings. */}}
{{- define "baton.commonSettings" -}}
kafka.bootstrap.servers={{ required "kafka.bootstrapServers is required: the brokers, such as kafka-bootstrap.kafka.svc:9092" .Values.kafka.bootstrapServers }}
baton.db.host={{ required "postgres.host is required: the host of the database" .Values.postgres.host }}
baton.db.port={{ .Values.postgres.port }}
baton.db.name={{ .Values.postgres.database }}
baton.db.user={{ .Values.postgres.user }}
baton.lease.required={{ .Values.leaseRequired }}
quarkus.http.host=0.0.0.0
baton.orchestrator-url={{ include "baton.orchestratorUrl" . }}
{{- include "baton.tokens" .Values.identity.oidc }}
{{- end }}

{{- /* The settings of tokens of a single sign-on. Argument: identity.oidc. */}}
{{- define "baton.tokens" -}}
{{- if .issuer }}
{{- if not .audiences }}{{ fail "identity.oidc.audiences is required with an issuer: names of which a token must have one" }}{{ end }}
{{- if not .roles }}{{ fail "identity.oidc.roles is required with an issuer: the roles of values of the claim" }}{{ end }}
{{- $lines := list }}
{{- range $value, $roles := .roles }}{{ $lines = append $lines (printf "%s %s" $value $roles) }}{{ end }}
{{- $prefix := "baton.identity.oidc" }}
{{- include "baton.property" (dict "key" (printf "%s.issuer" $prefix) "value" .issuer) }}
{{- include "baton.property" (dict "key" (printf "%s.audience" $prefix) "value" (join "," .audiences)) }}
{{- include "baton.property" (dict "key" (printf "%s.roles-claim" $prefix) "value" .rolesClaim) }}
{{- include "baton.property" (dict "key" (printf "%s.principal-claim" $prefix) "value" .principalClaim) }}
{{- include "baton.property" (dict "key" (printf "%s.roles" $prefix) "value" (join "\n" $lines)) }}
{{- else if or .audiences .roles }}
{{- fail "identity.oidc.issuer is required with audiences or roles" }}
{{- end }}
{{- end }}

{{- define "baton.identitySecret" -}}
{{- required "identity.existingSecret is required: a secret of this namespace with the API keys of admins" .Values.identity.existingSecret }}
{{- end }}

{{- define "baton.databaseSecret" -}}
- secret:
    name: {{ required "postgres.existingSecret is required: a secret of this namespace with the password" .Values.postgres.existingSecret }}
    items: [{key: {{ .Values.postgres.passwordKey }}, path: db-password}]
{{- end }}

{{- define "baton.runnerPods" -}}
podSelector:
  matchLabels:
    app.kubernetes.io/managed-by: baton
    baton.dev/installation: {{ .Values.runners.installation }}
{{- end }}

{{- define "baton.runnerPeer" -}}
namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: {{ .Values.runners.namespace.name }}}}
{{ include "baton.runnerPods" . }}
{{- end }}

{{- define "baton.servicePeer" -}}
namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: {{ .root.Release.Namespace }}}}
podSelector: {matchLabels: {{ include "baton.selector" . | fromYaml | toJson }}}
{{- end }}

{{/* The files with API keys, as a source of a projected volume. */}}
{{- define "baton.identityKeys" -}}
- secret:
    name: {{ include "baton.identitySecret" . }}
    items:
      - {key: {{ .Values.identity.adminKeysKey }}, path: admin-keys}
      {{- with .Values.identity.viewerKeysKey }}
      - {key: {{ . }}, path: viewer-keys}
      {{- end }}
{{- end }}
