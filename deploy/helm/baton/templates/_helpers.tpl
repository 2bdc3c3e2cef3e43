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

{{- /* Settings of the pods of a launcher or pool. Arguments: root, prefix, settings. */}}
{{- define "baton.pods" -}}
{{- $prefix := .prefix }}
{{- $settings := .settings }}
{{- range $value, $key := dict "image" "container.image" "memory" "container.memory" "cpus" "container.cpus" "workSize" "container.work-size" "tmpSize" "container.tmp-size" "requestedMemory" "pod.requested-memory" "requestedCpus" "pod.requested-cpus" "grace" "pod.grace" "priorityClass" "pod.priority-class" "tokenAudience" "pod.token-audience" }}
{{- if hasKey $settings $value }}
{{- include "baton.property" (dict "key" (printf "%s.%s" $prefix $key) "value" (index $settings $value)) }}
{{- end }}
{{- end }}
{{- with $settings.environment }}
{{- include "baton.property" (dict "key" (printf "%s.container.environment" $prefix) "value" (include "baton.pairs" .)) }}
{{- end }}
{{- if $settings.volumes }}
{{- include "baton.property" (dict "key" (printf "%s.pod.volumes" $prefix) "value" (include "baton.podVolumes" (dict "root" .root "volumes" $settings.volumes))) }}
{{- end }}
{{- with $settings.nodeSelector }}
{{- include "baton.property" (dict "key" (printf "%s.pod.node-selector" $prefix) "value" (include "baton.pairs" .)) }}
{{- end }}
{{- with $settings.tolerations }}
{{- include "baton.property" (dict "key" (printf "%s.pod.tolerations" $prefix) "value" (join "\n" .)) }}
{{- end }}
{{- end }}

{{- /* Of the addresses of both services. */}}
{{- define "baton.scheme" -}}
{{ if .Values.tls.existingSecret }}https{{ else }}http{{ end }}
{{- end }}

{{- define "baton.tlsFolder" -}}
/run/secrets/baton-tls
{{- end }}

{{- /* The settings of both services for TLS. */}}
{{- define "baton.tlsSettings" -}}
{{- if .Values.tls.existingSecret }}
{{- if not .Values.tls.runnersSecret }}{{ fail "tls.runnersSecret is required with tls.existingSecret: a secret of the runners' namespace with ca.crt" }}{{ end }}
{{- $folder := include "baton.tlsFolder" . }}
{{- include "baton.property" (dict "key" "baton.tls.certificate" "value" (printf "%s/tls.crt" $folder)) }}
{{- include "baton.property" (dict "key" "baton.tls.key" "value" (printf "%s/tls.key" $folder)) }}
{{- include "baton.property" (dict "key" "baton.tls.trust" "value" (printf "%s/ca.crt" $folder)) }}
{{- if ne .Values.tls.clientAuth "none" }}
{{- include "baton.property" (dict "key" "baton.tls.client-auth" "value" .Values.tls.clientAuth) }}
{{- end }}
{{- range list "orchestrator" "checkpointStore" }}
{{- if hasPrefix "http:" (index $.Values .).advertisedUrl }}{{ fail (printf "%s.advertisedUrl begins with http: while tls.existingSecret is set; write https:" .) }}{{ end }}
{{- end }}
{{- else if .Values.tls.runnersSecret }}
{{- fail "tls.existingSecret is required with tls.runnersSecret: without it the services do not use TLS" }}
{{- end }}
{{- end }}

{{- /* The mount of the certificate of a service. */}}
{{- define "baton.tlsMount" -}}
{{- if .Values.tls.existingSecret }}
- {name: tls, mountPath: {{ include "baton.tlsFolder" . }}, readOnly: true}
{{- end }}
{{- end }}

{{- define "baton.tlsVolume" -}}
{{- with .Values.tls.existingSecret }}
- {name: tls, secret: {secretName: {{ . }}, defaultMode: 0440}}
{{- end }}
{{- end }}

{{- /* Files that runner pods read, one per line. Arguments: root, volumes. */}}
{{- define "baton.podVolumes" -}}
{{- $lines := .volumes }}
{{- if .root.Values.tls.existingSecret }}
{{- $lines = append $lines (printf "secret:%s:%s" .root.Values.tls.runnersSecret (include "baton.tlsFolder" .root)) }}
{{- end }}
{{- join "\n" $lines }}
{{- end }}

{{- define "baton.host" -}}
{{ include "baton.name" .root }}-{{ .component }}.{{ .root.Release.Namespace }}.svc.{{ .root.Values.clusterDomain }}
{{- end }}

{{- define "baton.storeUrl" -}}
{{ .Values.checkpointStore.advertisedUrl | default (printf "%s://%s:8082" (include "baton.scheme" .) (include "baton.host" (dict "root" . "component" "checkpoint-store"))) }}
{{- end }}

{{- define "baton.orchestratorUrl" -}}
{{ .Values.orchestrator.advertisedUrl | default (printf "%s://%s:7070" (include "baton.scheme" .) (include "baton.host" (dict "root" . "component" "orchestrator"))) }}
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
  httpGet: {path: /q/health/started, port: http, scheme: {{ include "baton.scheme" . | upper }}}
  periodSeconds: 2
  timeoutSeconds: 5
  failureThreshold: 90
livenessProbe:
  httpGet: {path: /q/health/live, port: http, scheme: {{ include "baton.scheme" . | upper }}}
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: {path: /q/health/ready, port: http, scheme: {{ include "baton.scheme" . | upper }}}
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
{{- include "baton.tlsSettings" . }}
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
