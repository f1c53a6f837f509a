{{/* Each template takes the root context of a service's chart; the chart's name is the process name. */}}

{{/*
What `over` says, and where it says nothing what `under` says; maps are gone through name by name. Both are maps. An empty text or list says
nothing, unless `empties` is true.
*/}}
{{- define "switchyard.over" -}}
{{- $result := deepCopy .under -}}
{{- range $name, $value := .over -}}
{{- if kindIs "map" $value -}}
{{- $below := index $result $name | default dict -}}
{{- $_ := set $result $name (include "switchyard.over" (dict "over" $value "under" $below "empties" $.empties) | fromYaml) -}}
{{- else if not (or (kindIs "invalid" $value) (and (not $.empties) (has (toString $value) (list "" "[]")))) -}}
{{- $_ := set $result $name $value -}}
{{- end -}}
{{- end -}}
{{- toYaml $result -}}
{{- end -}}

{{/* The values of this chart: its own, where it has none those of all; for what is then missing or empty, what is usual. */}}
{{- define "switchyard.values" -}}
{{- $usual := dict
  "image" (dict "repository" "switchyard" "pullPolicy" "IfNotPresent")
  "secretName" "switchyard"
  "config" (dict "tier" "ultimate" "s3" (dict "region" "us-east-1" "signedDownloads" false)) -}}
{{- $own := omit .Values "global" "switchyard-library" -}}
{{- $given := include "switchyard.over" (dict "over" $own "under" (.Values.global | default dict) "empties" true) | fromYaml -}}
{{- $filled := include "switchyard.over" (dict "over" (pick $given "image" "secretName" "config") "under" $usual) | fromYaml -}}
{{- merge $filled (omit $given "image" "secretName" "config") | toYaml -}}
{{- end -}}

{{- define "switchyard.name" -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "switchyard.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/*
The tag of `image`. YAML reads one of digits alone, such as a date, as a number, and Helm would write that as 2.0261128e+07.
*/}}
{{- define "switchyard.tag" -}}
{{- $tag := .image.tag | default .root.Chart.AppVersion -}}
{{- kindIs "float64" $tag | ternary (printf "%.0f" (float64 $tag)) (toString $tag) -}}
{{- end -}}

{{- define "switchyard.labels" -}}
{{ include "switchyard.selector" . }}
app.kubernetes.io/part-of: switchyard
{{- $values := include "switchyard.values" . | fromYaml }}
app.kubernetes.io/version: {{ include "switchyard.tag" (dict "root" . "image" $values.image) | trunc 63 | trimAll "-_." | quote }}
{{- with $values.labels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Labels of what is not of one service: by those of `switchyard.labels` its pods are found. */}}
{{- define "switchyard.releaseLabels" -}}
app.kubernetes.io/part-of: switchyard
app.kubernetes.io/instance: {{ .Release.Name }}
{{- with (include "switchyard.values" . | fromYaml).labels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Which nodes may run a pod, and with what its images are pulled. Takes the values. */}}
{{- define "switchyard.scheduling" -}}
{{- with .image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - { name: {{ . }} }
  {{- end }}
{{- end }}
{{- range $name := list "nodeSelector" "affinity" "tolerations" "priorityClassName" }}
{{- with index $ $name }}
{{ dict $name . | toYaml }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "switchyard.image" -}}
{{- $image := (include "switchyard.values" . | fromYaml).image -}}
{{- $which := $image.digest | empty | ternary (printf ":%s" (include "switchyard.tag" (dict "root" . "image" $image))) (printf "@%s" $image.digest) -}}
image: {{ printf "%s%s" $image.repository $which | quote }}
imagePullPolicy: {{ $image.pullPolicy }}
{{- end -}}

{{- define "switchyard.secretName" -}}
{{- (include "switchyard.values" . | fromYaml).secretName -}}
{{- end -}}

{{/* The account of the pods; empty: the one of the namespace. */}}
{{- define "switchyard.accountName" -}}
{{- $account := .Values.serviceAccount -}}
{{- $account.name | default ($account.create | ternary (include "switchyard.name" .) "") -}}
{{- end -}}

{{/* Host names of the way in: those given, else that of the address that clients use. */}}
{{- define "switchyard.hosts" -}}
{{- $url := (include "switchyard.values" .root | fromYaml).config.externalUrl | default "" -}}
{{- .given | default (list (regexReplaceAll ":[0-9]+$" (urlParse $url).host "" | lower)) | toJson -}}
{{- end -}}

{{- define "switchyard.claimName" -}}
{{- .Values.persistence.existingClaim | default (include "switchyard.name" .) -}}
{{- end -}}

{{/* Where another process is found: as given, else in the same release. */}}
{{- define "switchyard.peer" -}}
{{- $given := index (.root.Values.peers | default dict) .name -}}
{{- $given | default (printf "%s-%s" .root.Release.Name .name | trunc 63 | trimSuffix "-") -}}
{{- end -}}

{{/* The name that stands for the addresses of all replicas, of the name that stands for one: its first label with `-grpc` behind. */}}
{{- define "switchyard.replicas" -}}
{{- $labels := splitn "." 2 . -}}
{{- printf "%s-grpc" ($labels._0 | trunc 58 | trimSuffix "-") -}}{{- with $labels._1 }}.{{ . }}{{ end -}}
{{- end -}}

{{/*
What the catalogue says of the service of this chart: public, data, calls.grpc, calls.http, keys, secrets. `switchyard.catalogue` holds the
services by name; deploy/helm/charts.mjs writes it.
*/}}
{{- define "switchyard.self" -}}
{{ index (include "switchyard.catalogue" . | fromYaml) .Chart.Name | toYaml }}
{{- end -}}

{{/* Takes the values `config.kafka`. */}}
{{- define "switchyard.kafka" -}}
{{- $kafka := . -}}
{{- range $name, $variable := dict
  "tls" "TLS" "saslMechanism" "SASL_MECHANISM" "username" "SASL_USERNAME" "oauthTokenUrl" "OAUTH_TOKEN_URL"
  "oauthScope" "OAUTH_SCOPE" "createTopics" "CREATE_TOPICS" "replicationFactor" "REPLICATION_FACTOR" }}
{{- if hasKey $kafka $name }}
{{- with index $kafka $name | toString }}
- { name: KAFKA_{{ $variable }}, value: {{ . | quote }} }
{{- end }}
{{- end }}
{{- end }}
{{- range $name, $variable := dict
  "ca" "CA" "certificate" "CERTIFICATE" "certificateKey" "CERTIFICATE_KEY" "password" "SASL_PASSWORD"
  "oauthToken" "OAUTH_TOKEN" }}
{{- with index $kafka $name }}
{{- if not (or $kafka.secretName (hasPrefix "/" .)) }}
{{- fail (printf "config.kafka.secretName must name the Secret with the file of config.kafka.%s" $name) }}
{{- end }}
- { name: KAFKA_{{ $variable }}_FILE, value: {{ hasPrefix "/" . | ternary . (printf "/kafka/%s" .) | quote }} }
{{- end }}
{{- end }}
{{- end -}}

{{/* Variables of a container: those of the chart, and `env`. Takes what `switchyard.container` takes. */}}
{{- define "switchyard.environment" -}}
{{- $chart := .root.Chart.Name -}}
{{- $env := (include "switchyard.values" .root | fromYaml).env | default dict -}}
{{- $own := list (include "switchyard.ownEnvironment" .root) (include "switchyard.storages" .) | compact | join "\n" -}}
{{- /* Two of one name are no list that Kubernetes merges, and which of them counts would be chance. */}}
{{- range $own | fromYamlArray }}
{{- if hasKey $env .name }}
{{- $value := include "switchyard.valueBehind" . }}
{{- $instead := $value | empty | ternary "nothing can change it" (printf "use `%s` in place of it" $value) }}
{{- fail (printf "%s: env.%s is set by the chart; %s" $chart .name $instead) }}
{{- end }}
{{- end -}}
{{ $own }}
{{- range $name, $value := $env }}
{{- /* As JSON a number of millions is not written with an exponent. */}}
- { name: {{ $name }}, value: {{ kindIs "string" $value | ternary $value (toJson $value) | quote }} }
{{- end }}
{{- end -}}

{{/* The value of the chart from which a variable follows; nothing for ports and folders. Takes a row of the environment. */}}
{{- define "switchyard.valueBehind" -}}
{{- $name := .name -}}
{{- if or .valueFrom (hasPrefix "/keys/" (.value | default "")) -}}
secretName
{{- else -}}
{{- range $pattern, $value := dict
  "^SWITCHYARD_DRAIN_SECONDS$" "drainSeconds" "^SWITCHYARD_TIER$" "config.tier" "^SWITCHYARD_EXTERNAL_URL$" "config.externalUrl"
  "_(ADDRESS|HTTP_URL)$" "peers" "^KAFKA_BROKERS$" "config.kafkaBrokers" "^KAFKA_[^B]" "config.kafka" "^S3_" "config.s3"
  "^SWITCHYARD_GIT_" "git" "^SWITCHYARD_(REPOSITORY_|)STORAGE" "storages" "^SWITCHYARD_TRUSTED_PROXIES$" "trustedProxies"
  "^OTEL_EXPORTER_OTLP_ENDPOINT$" "config.otlpEndpoint" -}}
{{- if regexMatch $pattern $name -}}{{- $value -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "switchyard.ownEnvironment" -}}
{{- $root := . -}}
{{- $secret := include "switchyard.secretName" . -}}
{{- $values := include "switchyard.values" . | fromYaml -}}
{{- $config := $values.config -}}
{{- $self := include "switchyard.self" . | fromYaml -}}
- { name: HOST, value: "0.0.0.0" }
- { name: HTTP_PORT, value: "8081" }
- { name: SWITCHYARD_DRAIN_SECONDS, value: {{ .Values.drainSeconds | quote }} }
- { name: SWITCHYARD_TIER, value: {{ $config.tier | quote }} }
- { name: SWITCHYARD_EXTERNAL_URL, value: {{ required "config.externalUrl must be the address clients use" $config.externalUrl | quote }} }
- { name: SWITCHYARD_IDENTITY_KEY_FILE, value: /keys/{{ .Chart.Name }}.key }
{{- range $self.calls.grpc }}
- { name: {{ . | upper | replace "-" "_" }}_ADDRESS, value: "{{ include "switchyard.replicas" (include "switchyard.peer" (dict "root" $root "name" .)) }}:50051" }
{{- end }}
{{- range $self.calls.http }}
- { name: {{ . | upper | replace "-" "_" }}_HTTP_URL, value: "http://{{ include "switchyard.peer" (dict "root" $root "name" .) }}:8081" }
{{- end }}
{{- if $self.public }}
- { name: PORT, value: "8080" }
- { name: HTTP_HOST, value: "0.0.0.0" }
{{- else }}
- { name: GRPC_PORT, value: "50051" }
- { name: KAFKA_BROKERS, value: {{ required "config.kafkaBrokers must name the brokers" $config.kafkaBrokers | quote }} }
{{- include "switchyard.kafka" ($config.kafka | default dict) }}
- { name: SWITCHYARD_IDENTITY_PUBLIC_KEYS_FILE, value: /keys/public-keys.json }
- name: DATABASE_URL
  valueFrom: { secretKeyRef: { name: {{ $secret }}, key: {{ .Chart.Name }}-database-url } }
{{- end }}
{{- if $self.data }}
- { name: SWITCHYARD_DATA, value: /data }
{{- end }}
{{- range $self.keys }}
- { name: {{ .variable }}, value: /keys/{{ .file }} }
{{- end }}
{{- range $self.secrets }}
{{- if .mounted }}
- { name: {{ .variable }}, value: /keys/{{ .key }} }
{{- else }}
- name: {{ .variable }}
  valueFrom: { secretKeyRef: { name: {{ $secret }}, key: {{ .key }}{{ if .optional }}, optional: true{{ end }} } }
{{- end }}
{{- end }}
{{- if and (eq $self.data "blobs") (not .Values.persistence.enabled) }}
{{- if $config.s3.bucket }}
- { name: S3_BUCKET, value: {{ $config.s3.bucket | quote }} }
- { name: S3_ENDPOINT, value: {{ $config.s3.endpoint | default "" | quote }} }
{{- with $config.s3.caFile }}
- { name: S3_CA_FILE, value: {{ . | quote }} }
{{- end }}
- { name: S3_REGION, value: {{ $config.s3.region | quote }} }
- { name: S3_SIGNED_DOWNLOADS, value: {{ $config.s3.signedDownloads | quote }} }
{{- else }}
{{- fail (printf "config.s3.bucket must name a bucket, unless %s.persistence is enabled" .Chart.Name) }}
{{- end }}
{{- end }}
{{- with .Values.git }}
- { name: SWITCHYARD_GIT_PLACES, value: {{ int .places | quote }} }
- { name: SWITCHYARD_GIT_MEMORY_MB, value: {{ int .processMemory | quote }} }
{{- end }}
{{- with $config.otlpEndpoint }}
- { name: OTEL_EXPORTER_OTLP_ENDPOINT, value: {{ . | quote }} }
{{- end }}
{{- if $self.public }}
{{- $entered := or .Values.ingress.enabled .Values.httpRoute.enabled -}}
{{- if and $entered (not (or .Values.trustedProxies (hasKey ($values.env | default dict) "SWITCHYARD_TRUSTED_PROXIES"))) }}
{{- fail "trustedProxies must name the proxies behind ingress or httpRoute: without it all callers share their address" }}
{{- end }}
{{- with .Values.trustedProxies }}
- { name: SWITCHYARD_TRUSTED_PROXIES, value: {{ join "," . | quote }} }
{{- end }}
{{- end }}
{{- end -}}

{{/*
Takes the root context as `root`; `claim` names the claim with the data of the pod: empty for none, `account` names its account: empty for that
of the namespace.
*/}}
{{- define "switchyard.pod" -}}
{{- $self := include "switchyard.self" .root | fromYaml -}}
{{- $values := include "switchyard.values" .root | fromYaml -}}
automountServiceAccountToken: false
{{- with .account }}
serviceAccountName: {{ . }}
{{- end }}
{{- include "switchyard.scheduling" $values }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
volumes:
  - name: keys
    secret:
      secretName: {{ include "switchyard.secretName" .root }}
      defaultMode: 0440
      items:
        - { key: {{ .root.Chart.Name }}.key, path: {{ .root.Chart.Name }}.key }
        {{- if not $self.public }}
        - { key: public-keys.json, path: public-keys.json }
        {{- end }}
        {{- range $self.keys }}
        - { key: {{ .file }}, path: {{ .file }} }
        {{- end }}
        {{- range $self.secrets }}
        {{- if .mounted }}
        - { key: {{ .key }}, path: {{ .key }} }
        {{- end }}
        {{- end }}
  {{- with ($values.config.kafka).secretName }}
  {{- if not $self.public }}
  - name: kafka
    secret: { secretName: {{ . }}, defaultMode: 0440 }
  {{- end }}
  {{- end }}
  - name: tmp
    emptyDir: {}
  - name: data
    {{- with .claim }}
    persistentVolumeClaim: { claimName: {{ . }} }
    {{- else }}
    emptyDir: {}
    {{- end }}
  {{- with $values.volumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/* Takes the root context as `root`; `storage` names the storage of repositories that the process serves, where there are several. */}}
{{- define "switchyard.container" -}}
{{- $storage := .storage -}}
{{- with .root -}}
{{- $values := include "switchyard.values" . | fromYaml -}}
{{ include "switchyard.image" . }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
env:
  {{- include "switchyard.environment" (dict "root" . "storage" $storage) | nindent 2 }}
volumeMounts:
  - { name: keys, mountPath: /keys, readOnly: true }
  {{- if and ($values.config.kafka).secretName (not (include "switchyard.self" . | fromYaml).public) }}
  - { name: kafka, mountPath: /kafka, readOnly: true }
  {{- end }}
  - { name: tmp, mountPath: /tmp }
  - { name: data, mountPath: /data }
  {{- with $values.volumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}
{{- end -}}

{{/* The objects of a further storage of repositories, and the Service that leads to its process; `default` for the first. */}}
{{- define "switchyard.storageName" -}}
{{- $name := printf "%s-%s" (include "switchyard.name" .root) .storage -}}
{{- if gt (len $name) 52 }}
{{- fail (printf "%s is longer than the 52 characters that a StatefulSet may have: a shorter name of the release or storage is needed" $name) }}
{{- end -}}
{{- $name -}}
{{- end -}}

{{/* What a process knows of the storages: all of them with weights, its own, and who has the others. Takes what `switchyard.container` takes. */}}
{{- define "switchyard.storages" -}}
{{- $root := .root -}}
{{- $own := .storage -}}
{{- if and $own $root.Values.storages }}
{{- $weights := list (printf "default:%d" (int $root.Values.persistence.weight)) -}}
{{- $peers := list -}}
{{- $total := int $root.Values.persistence.weight -}}
{{- range concat (list (dict "name" "default")) $root.Values.storages -}}
{{- if ne .name "default" }}
{{- $weight := int (dig "weight" 1 .) -}}
{{- $total = add $total $weight -}}
{{- $weights = append $weights (printf "%s:%d" .name $weight) -}}
{{- end -}}
{{- if ne .name $own }}{{- $peers = append $peers (printf "%s=%s:50051/8081" .name (include "switchyard.storageName" (dict "root" $root "storage" .name))) -}}{{- end -}}
{{- end -}}
{{- if eq (int $total) 0 }}
{{- fail "persistence.weight or that of one of storages must be above 0: new repositories would lie nowhere" }}
{{- end }}
- { name: SWITCHYARD_REPOSITORY_STORAGES, value: {{ join "," $weights | quote }} }
- { name: SWITCHYARD_STORAGES_SERVED, value: {{ $own | quote }} }
- { name: SWITCHYARD_STORAGE_PEERS, value: {{ join "," $peers | quote }} }
{{- end }}
{{- end -}}

{{/* The pods of a service are spread over zones and nodes where that is possible, or as the values say. */}}
{{- define "switchyard.spread" -}}
{{- $usual := list
  (dict "maxSkew" 1 "topologyKey" "topology.kubernetes.io/zone" "whenUnsatisfiable" "ScheduleAnyway")
  (dict "maxSkew" 1 "topologyKey" "kubernetes.io/hostname" "whenUnsatisfiable" "ScheduleAnyway") -}}
{{- $own := dict "labelSelector" (dict "matchLabels" (include "switchyard.selector" . | fromYaml)) -}}
{{- range (include "switchyard.values" . | fromYaml).topologySpreadConstraints | default $usual }}
- {{ merge (deepCopy .) $own | toYaml | nindent 2 | trim }}
{{- end }}
{{- end -}}

{{/* A number that changes with what the Secret has for this service, so that its pods are made anew; nothing where no cluster is asked. */}}
{{- define "switchyard.secretChecksum" -}}
{{- $self := include "switchyard.self" . | fromYaml -}}
{{- $secret := lookup "v1" "Secret" .Release.Namespace (include "switchyard.secretName" .) -}}
{{- if $secret -}}
{{- $keys := list (printf "%s.key" .Chart.Name) (printf "%s-database-url" .Chart.Name) "public-keys.json" -}}
{{- range $self.keys -}}{{- $keys = append $keys .file -}}{{- end -}}
{{- range $self.secrets -}}{{- $keys = append $keys .key -}}{{- end -}}
{{- $has := $secret.data | default dict -}}
{{- $own := dict -}}
{{- range $keys -}}{{- $_ := set $own . (index $has . | default "") -}}{{- end -}}
{{- toJson $own | sha256sum -}}
{{- end -}}
{{- end -}}

{{/* Whether two pods of a service cannot have the same data: it lies on a volume that one node can mount at a time, or in the pod itself. */}}
{{- define "switchyard.onePod" -}}
{{- $inPod := eq (include "switchyard.self" . | fromYaml).data "volume" -}}
{{- with .Values.persistence -}}
{{- if .enabled | ternary (ne .accessMode "ReadWriteMany") $inPod -}}true{{- end -}}
{{- end -}}
{{- end -}}

{{- define "switchyard.deployment" -}}
{{- $onePod := include "switchyard.onePod" . -}}
{{- if and $onePod (or .Values.autoscaling.enabled (gt (int .Values.replicas) 1)) }}
{{- fail (printf "%s: more than one replica needs persistence.enabled, and persistence.accessMode ReadWriteMany" .Chart.Name) }}
{{- end -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "switchyard.name" . }}
  labels:
    {{- include "switchyard.labels" . | nindent 4 }}
spec:
  {{- if not .Values.autoscaling.enabled }}
  replicas: {{ .Values.replicas }}
  {{- end }}
  strategy:
    {{- /* The old and the new pod cannot both have the data. */}}
    {{- if $onePod }}
    type: Recreate
    {{- else }}
    type: RollingUpdate
    rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }
    {{- end }}
  selector:
    matchLabels:
      {{- include "switchyard.selector" . | nindent 6 }}
  template:
    {{- $claim := "" }}
    {{- if (.Values.persistence).enabled }}
    {{- $claim = include "switchyard.claimName" . }}
    {{- end }}
    {{- include "switchyard.template" (dict "root" . "claim" $claim "storage" (.Values.storages | empty | ternary "" "default")) | nindent 4 }}
{{- end -}}

{{/* The pods of a service. Takes what `switchyard.pod` and `switchyard.container` take, apart from the account. */}}
{{- define "switchyard.template" -}}
{{- $storage := .storage -}}
{{- $claim := .claim -}}
{{- with .root -}}
{{- $self := include "switchyard.self" . | fromYaml -}}
{{- $values := include "switchyard.values" . | fromYaml -}}
{{- $port := $self.public | ternary "public" "http" -}}
{{- $root := . -}}
metadata:
  labels:
    {{- include "switchyard.labels" . | nindent 4 }}
    {{- with $storage }}
    switchyard.io/storage: {{ . }}
    {{- end }}
    {{- with $values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    prometheus.io/scrape: "true"
    prometheus.io/port: "8081"
    {{- with include "switchyard.secretChecksum" . }}
    checksum/secret: {{ . }}
    {{- end }}
    {{- with $values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  {{- /* Beside the drain: five seconds before it, and what background work has in hand after it. */}}
  terminationGracePeriodSeconds: {{ int .Values.terminationGracePeriodSeconds | default (add (int .Values.drainSeconds) 30) }}
  {{- include "switchyard.pod" (dict "root" . "claim" $claim "account" (include "switchyard.accountName" .)) | nindent 2 }}
  topologySpreadConstraints:
    {{- include "switchyard.spread" . | nindent 4 }}
  containers:
    - name: {{ .Chart.Name }}
      {{- include "switchyard.container" (dict "root" . "storage" $storage) | nindent 6 }}
      command: [tini, --, node, services/{{ .Chart.Name }}/dist/main.js]
      ports:
        - { name: http, containerPort: 8081 }
        {{- if $self.public }}
        - { name: public, containerPort: 8080 }
        {{- else }}
        - { name: grpc, containerPort: 50051 }
        {{- end }}
      {{- range $probe := list "startup" "liveness" "readiness" }}
      {{ $probe }}Probe:
        httpGet: { path: /-/{{ eq $probe "readiness" | ternary "readiness" "liveness" }}, port: {{ $port }} }
        {{- toYaml (index $root.Values.probes $probe) | nindent 8 }}
      {{- end }}
      lifecycle:
        # Endpoints forget a pod a moment after it is told to go.
        preStop: { exec: { command: [sleep, "5"] } }
      resources:
        {{- include "switchyard.resources" . | nindent 8 }}
{{- end -}}
{{- end -}}

{{/*
Further storages of repositories: for each a pod with a volume of its own, a claim, and a Service by which the other processes find it; and one by
which they find the first. Callers know none of these: any process has a call answered where its repository lies.
*/}}
{{- define "switchyard.shards" -}}
{{- $root := . -}}
{{- /* An autoscaler finds the pods by the labels of the Deployment, which those of the other storages have as well. */}}
{{- if and .Values.storages .Values.autoscaling.enabled }}
{{- fail (printf "%s: autoscaling cannot be enabled beside storages" .Chart.Name) }}
{{- end -}}
{{- $seen := list "default" -}}
{{- range .Values.storages }}
{{- $storage := .name -}}
{{- if has $storage $seen }}
{{- fail (printf "%s: storages names %s twice" $root.Chart.Name $storage) }}
{{- end -}}
{{- $seen = append $seen $storage -}}
{{- $name := include "switchyard.storageName" (dict "root" $root "storage" $storage) -}}
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: {{ $name }}
  labels:
    {{- include "switchyard.labels" $root | nindent 4 }}
    switchyard.io/storage: {{ $storage }}
spec:
  serviceName: {{ $name }}
  replicas: 1
  selector:
    matchLabels:
      {{- include "switchyard.selector" $root | nindent 6 }}
      switchyard.io/storage: {{ $storage }}
  template:
    {{- include "switchyard.template" (dict "root" $root "claim" (.existingClaim | default $name) "storage" $storage) | nindent 4 }}
---
{{- if not .existingClaim }}
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: {{ $name }}
  labels:
    {{- include "switchyard.labels" $root | nindent 4 }}
    switchyard.io/storage: {{ $storage }}
  annotations:
    helm.sh/resource-policy: keep
spec:
  accessModes: [{{ .accessMode | default "ReadWriteOnce" }}]
  {{- with .storageClass }}
  storageClassName: {{ . }}
  {{- end }}
  resources:
    requests:
      storage: {{ .size | default $root.Values.persistence.size }}
---
{{- end }}
{{- end }}
{{- if .Values.storages }}
{{- range $seen }}
apiVersion: v1
kind: Service
metadata:
  name: {{ include "switchyard.storageName" (dict "root" $root "storage" .) }}
  labels:
    {{- include "switchyard.labels" $root | nindent 4 }}
    switchyard.io/storage: {{ . }}
spec:
  clusterIP: None
  selector:
    {{- include "switchyard.selector" $root | nindent 4 }}
    switchyard.io/storage: {{ . }}
  ports:
    - { name: http, port: 8081, targetPort: http }
    - { name: grpc, port: 50051, targetPort: grpc, appProtocol: kubernetes.io/h2c }
---
{{- end }}
{{- end }}
{{- end -}}

{{/*
Resources of a pod. Where git runs, memory that is not given follows from its concurrency: the limit has room for one git process at its limit in
each place of requests and of transfers and in each of the ten workers of jobs, and half a gigabyte for the service; the request for what these
usually take, 32 MB each.
*/}}
{{- define "switchyard.resources" -}}
{{- $usual := dict -}}
{{- with .Values.git -}}
{{- $processes := add (mul 2 (int .places)) 10 -}}
{{- $_ := set $usual "requests" (dict "memory" (printf "%dMi" (add 256 (mul 32 $processes)))) -}}
{{- $_ := set $usual "limits" (dict "memory" (printf "%dMi" (add 512 (mul (int .processMemory) $processes)))) -}}
{{- end -}}
{{- include "switchyard.over" (dict "over" .Values.resources "under" $usual) -}}
{{- end -}}

{{- define "switchyard.service" -}}
{{- $self := include "switchyard.self" . | fromYaml -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ include "switchyard.name" . }}
  labels:
    {{- include "switchyard.labels" . | nindent 4 }}
  {{- with (.Values.service).annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  type: {{ (.Values.service).type | default "ClusterIP" }}
  selector:
    {{- include "switchyard.selector" . | nindent 4 }}
  ports:
    {{- if $self.public }}
    - { name: http, port: 80, targetPort: public }
    {{- else }}
    - { name: http, port: 8081, targetPort: http }
    - { name: grpc, port: 50051, targetPort: grpc, appProtocol: kubernetes.io/h2c }
---
# A connection carries many calls: who calls over gRPC needs the addresses of all replicas, and balances by itself.
apiVersion: v1
kind: Service
metadata:
  name: {{ include "switchyard.replicas" (include "switchyard.name" .) }}
  labels:
    {{- include "switchyard.labels" . | nindent 4 }}
spec:
  clusterIP: None
  selector:
    {{- include "switchyard.selector" . | nindent 4 }}
  ports:
    - { name: grpc, port: 50051, targetPort: grpc, appProtocol: kubernetes.io/h2c }
    {{- end }}
{{- end -}}

{{/*
Who may connect: to the gateway's public port everyone; to inner ports the pods of the release, and of the releases named, that call this process;
to the port with the metrics also pods of one namespace. Probes come from the node, which policies do not hold back.
*/}}
{{- define "switchyard.networkPolicy" -}}
{{- if (.Values.networkPolicy).enabled -}}
{{- $root := . -}}
{{- $self := include "switchyard.self" . | fromYaml -}}
{{- $callers := dict "grpc" list "http" list -}}
{{- range $caller, $service := include "switchyard.catalogue" . | fromYaml -}}
{{- range $port, $called := $service.calls -}}
{{- if has $root.Chart.Name $called -}}
{{- $_ := set $callers $port (append (index $callers $port) $caller) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if .Values.storages -}}
{{- range $port, $names := $callers -}}
{{- $_ := set $callers $port (append $names $root.Chart.Name) -}}
{{- end -}}
{{- end -}}
{{- $metrics := .Values.networkPolicy.metricsNamespace | default (.Values.global).metricsNamespace -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "switchyard.name" . }}
  labels:
    {{- include "switchyard.labels" . | nindent 4 }}
spec:
  podSelector:
    matchLabels:
      {{- include "switchyard.selector" . | nindent 6 }}
  policyTypes: [Ingress]
  {{- if or $self.public $callers.grpc $callers.http $metrics }}
  ingress:
    {{- if $self.public }}
    - ports: [{ protocol: TCP, port: public }]
    {{- end }}
    {{- range $port, $names := $callers }}
    {{- if $names }}
    - ports: [{ protocol: TCP, port: {{ $port }} }]
      from:
        - podSelector:
            matchExpressions:
              - { key: app.kubernetes.io/part-of, operator: In, values: [switchyard] }
              - { key: app.kubernetes.io/name, operator: In, values: {{ toJson $names }} }
              - { key: app.kubernetes.io/instance, operator: In, values: {{ toJson (concat (list $root.Release.Name) $root.Values.networkPolicy.releases) }} }
    {{- end }}
    {{- end }}
    {{- with $metrics }}
    - ports: [{ protocol: TCP, port: http }]
      from:
        - namespaceSelector:
            matchLabels: { kubernetes.io/metadata.name: {{ . | quote }} }
    {{- end }}
  {{- end }}
{{- end -}}
{{- end -}}

{{- define "switchyard.migration" -}}
{{- $values := include "switchyard.values" . | fromYaml -}}
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ include "switchyard.name" . | trunc 55 }}-migrate
  labels:
    {{- include "switchyard.labels" . | nindent 4 }}
  annotations:
    helm.sh/hook: pre-install,pre-upgrade
    helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
spec:
  backoffLimit: {{ int .Values.migration.backoffLimit }}
  activeDeadlineSeconds: {{ int .Values.migration.activeDeadlineSeconds }}
  template:
    metadata:
      labels:
        app.kubernetes.io/part-of: switchyard
        {{- with $values.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- with $values.podAnnotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      restartPolicy: Never
      {{- /* Neither the claim nor the account exist before the installation, and migrations store no files. */}}
      {{- $account := .Values.serviceAccount.create | ternary "" .Values.serviceAccount.name }}
      {{- include "switchyard.pod" (dict "root" . "claim" "" "account" $account) | nindent 6 }}
      containers:
        - name: migrate
          {{- include "switchyard.container" (dict "root" . "storage" "") | nindent 10 }}
          command: [tini, --, node, services/{{ .Chart.Name }}/dist/main.js, migrate]
          resources:
            {{- toYaml .Values.migration.resources | nindent 12 }}
{{- end -}}

{{- define "switchyard.claim" -}}
{{- if and .Values.persistence.enabled (not .Values.persistence.existingClaim) -}}
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: {{ include "switchyard.name" . }}
  labels:
    {{- include "switchyard.labels" . | nindent 4 }}
  annotations:
    helm.sh/resource-policy: keep
spec:
  accessModes: [{{ .Values.persistence.accessMode }}]
  {{- with .Values.persistence.storageClass }}
  storageClassName: {{ . }}
  {{- end }}
  resources:
    requests:
      storage: {{ .Values.persistence.size }}
{{- end -}}
{{- end -}}

{{- define "switchyard.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ include "switchyard.accountName" . }}
  labels:
    {{- include "switchyard.labels" . | nindent 4 }}
  {{- with .Values.serviceAccount.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false
{{- end -}}
{{- end -}}

{{- define "switchyard.disruptionBudget" -}}
{{- if .Values.podDisruptionBudget.enabled -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "switchyard.name" . }}
  labels:
    {{- include "switchyard.labels" . | nindent 4 }}
spec:
  maxUnavailable: {{ .Values.podDisruptionBudget.maxUnavailable }}
  selector:
    matchLabels:
      {{- include "switchyard.selector" . | nindent 6 }}
{{- end -}}
{{- end -}}

{{- define "switchyard.autoscaler" -}}
{{- with .Values.autoscaling -}}
{{- if .enabled -}}
{{- if gt (int .minReplicas) (int .maxReplicas) }}
{{- fail (printf "%s: autoscaling.minReplicas is above maxReplicas" $.Chart.Name) }}
{{- end -}}
{{- if not (or (int .targetCpu) .metrics) }}
{{- fail (printf "%s: autoscaling needs targetCpu or metrics" $.Chart.Name) }}
{{- end -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ include "switchyard.name" $ }}
  labels:
    {{- include "switchyard.labels" $ | nindent 4 }}
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: {{ include "switchyard.name" $ }} }
  minReplicas: {{ .minReplicas }}
  maxReplicas: {{ .maxReplicas }}
  metrics:
    {{- if int .targetCpu }}
    - type: Resource
      resource: { name: cpu, target: { type: Utilization, averageUtilization: {{ .targetCpu }} } }
    {{- end }}
    {{- with .metrics }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .behavior }}
  behavior:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "switchyard.podMonitor" -}}
{{- if .Values.podMonitor.enabled -}}
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata:
  name: {{ include "switchyard.name" . }}
  labels:
    {{- include "switchyard.labels" . | nindent 4 }}
    {{- with .Values.podMonitor.labels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  selector:
    matchLabels:
      {{- include "switchyard.selector" . | nindent 6 }}
  podMetricsEndpoints:
    - { port: http, path: /metrics, interval: {{ .Values.podMonitor.interval }} }
{{- end -}}
{{- end -}}

{{/* Clones, pushes and packages are large and long: nothing on the way may hold a body back, cut it or end it early. */}}
{{- define "switchyard.ingress" -}}
{{- if .Values.ingress.enabled -}}
{{- $nginx := dict
  "nginx.ingress.kubernetes.io/proxy-body-size" "0"
  "nginx.ingress.kubernetes.io/proxy-buffering" "off"
  "nginx.ingress.kubernetes.io/proxy-request-buffering" "off"
  "nginx.ingress.kubernetes.io/proxy-http-version" "1.1"
  "nginx.ingress.kubernetes.io/proxy-read-timeout" "3600"
  "nginx.ingress.kubernetes.io/proxy-send-timeout" "3600" -}}
{{- $usual := eq .Values.ingress.controller "nginx" | ternary $nginx dict -}}
{{- $hosts := include "switchyard.hosts" (dict "root" . "given" .Values.ingress.hosts) | fromJsonArray -}}
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: {{ include "switchyard.name" . }}
  labels:
    {{- include "switchyard.labels" . | nindent 4 }}
  {{- with mergeOverwrite $usual .Values.ingress.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- with .Values.ingress.className }}
  ingressClassName: {{ . }}
  {{- end }}
  {{- with .Values.ingress.tlsSecretName }}
  tls:
    - hosts: {{ toJson $hosts }}
      secretName: {{ . }}
  {{- end }}
  rules:
    {{- range $hosts }}
    - host: {{ . | quote }}
      http:
        paths:
          - path: /
            pathType: Prefix
            backend: { service: { name: {{ include "switchyard.name" $ }}, port: { name: http } } }
    {{- end }}
{{- end -}}
{{- end -}}

{{- define "switchyard.httpRoute" -}}
{{- if .Values.httpRoute.enabled -}}
{{- if not .Values.httpRoute.parentRefs }}
{{- fail "httpRoute.parentRefs must name a Gateway" }}
{{- end -}}
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata:
  name: {{ include "switchyard.name" . }}
  labels:
    {{- include "switchyard.labels" . | nindent 4 }}
  {{- with .Values.httpRoute.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  parentRefs:
    {{- toYaml .Values.httpRoute.parentRefs | nindent 4 }}
  hostnames: {{ include "switchyard.hosts" (dict "root" . "given" .Values.httpRoute.hostnames) }}
  rules:
    - matches: [{ path: { type: PathPrefix, value: / } }]
      timeouts: { request: {{ .Values.httpRoute.timeout }}, backendRequest: {{ .Values.httpRoute.timeout }} }
      backendRefs: [{ name: {{ include "switchyard.name" . }}, port: 80 }]
{{- end -}}
{{- end -}}

{{/* What `helm test` runs: the tour, or the questions at its beginning. */}}
{{- define "switchyard.test" -}}
{{- $values := include "switchyard.values" . | fromYaml -}}
apiVersion: v1
kind: Pod
metadata:
  name: {{ include "switchyard.name" . | trunc 58 }}-test
  labels:
    {{- /* With those of the service its Service would lead here. */}}
    {{- include "switchyard.releaseLabels" . | nindent 4 }}
    {{- with $values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    helm.sh/hook: test
    helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
    {{- with $values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  restartPolicy: Never
  automountServiceAccountToken: false
  {{- include "switchyard.scheduling" $values | nindent 2 }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    runAsGroup: 1000
    seccompProfile: { type: RuntimeDefault }
  containers:
    - name: test
      {{- include "switchyard.image" . | nindent 6 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      env:
        - { name: URL, value: "http://{{ include "switchyard.name" . }}" }
        {{- if .Values.test.tour }}
        - name: TOKEN
          valueFrom: { secretKeyRef: { name: {{ include "switchyard.secretName" . }}, key: root-token, optional: true } }
        {{- end }}
      command: [node, deploy/docker/tour.mjs]
      resources:
        {{- toYaml .Values.test.resources | nindent 8 }}
{{- end -}}

{{- define "switchyard.notes" -}}
{{ .Chart.Name }} of the release {{ .Release.Name }}: kubectl --namespace {{ .Release.Namespace }} rollout status deployment/{{ include "switchyard.name" . }}
{{- end -}}
