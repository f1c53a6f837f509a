{{/* Each template takes the root context of a service's chart; the chart's name is the process name. */}}

{{- define "switchyard.name" -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "switchyard.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "switchyard.labels" -}}
{{ include "switchyard.selector" . }}
app.kubernetes.io/part-of: switchyard
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | quote }}
{{- end -}}

{{- define "switchyard.image" -}}
{{- $image := mergeOverwrite (deepCopy .Values.image) ((.Values.global).image | default dict) -}}
image: {{ printf "%s:%s" $image.repository ($image.tag | default .Chart.AppVersion) | quote }}
imagePullPolicy: {{ $image.pullPolicy }}
{{- end -}}

{{- define "switchyard.secretName" -}}
{{- ((.Values.global).secretName) | default .Values.secretName -}}
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

{{- define "switchyard.environment" -}}
{{- $root := . -}}
{{- $secret := include "switchyard.secretName" . -}}
{{- $config := mergeOverwrite (deepCopy .Values.config) ((.Values.global).config | default dict) -}}
{{- $self := include "switchyard.self" . | fromYaml -}}
- { name: HOST, value: "0.0.0.0" }
- { name: HTTP_PORT, value: "8081" }
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
- name: {{ .variable }}
  valueFrom: { secretKeyRef: { name: {{ $secret }}, key: {{ .key }}{{ if .optional }}, optional: true{{ end }} } }
{{- end }}
{{- if eq $self.data "blobs" }}
{{- if $config.s3.bucket }}
- { name: S3_BUCKET, value: {{ $config.s3.bucket | quote }} }
- { name: S3_ENDPOINT, value: {{ $config.s3.endpoint | quote }} }
- { name: S3_REGION, value: {{ $config.s3.region | quote }} }
- { name: S3_SIGNED_DOWNLOADS, value: {{ $config.s3.signedDownloads | default false | quote }} }
{{- else if not .Values.persistence.enabled }}
{{- fail (printf "config.s3.bucket must name a bucket, unless %s.persistence is enabled" .Chart.Name) }}
{{- end }}
{{- end }}
{{- with $config.otlpEndpoint }}
- { name: OTEL_EXPORTER_OTLP_ENDPOINT, value: {{ . | quote }} }
{{- end }}
{{- range $name, $value := mergeOverwrite (deepCopy ((.Values.global).env | default dict)) .Values.env }}
{{- /* As JSON a number of millions is not written with an exponent. */}}
- { name: {{ $name }}, value: {{ kindIs "string" $value | ternary $value (toJson $value) | quote }} }
{{- end }}
{{- end -}}

{{/* Takes the root context as `root`; `claim` says whether the pod gets the data volume of the service. */}}
{{- define "switchyard.pod" -}}
{{- $self := include "switchyard.self" .root | fromYaml -}}
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
  - name: tmp
    emptyDir: {}
  - name: data
    {{- if .claim }}
    persistentVolumeClaim: { claimName: {{ include "switchyard.name" .root }} }
    {{- else }}
    emptyDir: {}
    {{- end }}
{{- end -}}

{{- define "switchyard.container" -}}
{{ include "switchyard.image" . }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
env:
  {{- include "switchyard.environment" . | nindent 2 }}
volumeMounts:
  - { name: keys, mountPath: /keys, readOnly: true }
  - { name: tmp, mountPath: /tmp }
  - { name: data, mountPath: /data }
{{- end -}}

{{- define "switchyard.deployment" -}}
{{- $self := include "switchyard.self" . | fromYaml -}}
{{- $port := $self.public | ternary "public" "http" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "switchyard.name" . }}
  labels:
    {{- include "switchyard.labels" . | nindent 4 }}
spec:
  replicas: {{ .Values.replicas }}
  strategy:
    {{- /* A volume of one node cannot be mounted by the old and the new pod at once. */}}
    {{- if and (.Values.persistence).enabled (ne .Values.persistence.accessMode "ReadWriteMany") }}
    type: Recreate
    {{- else }}
    type: RollingUpdate
    rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }
    {{- end }}
  selector:
    matchLabels:
      {{- include "switchyard.selector" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "switchyard.labels" . | nindent 8 }}
      annotations:
        prometheus.io/scrape: "true"
        prometheus.io/port: "8081"
    spec:
      terminationGracePeriodSeconds: 30
      {{- include "switchyard.pod" (dict "root" . "claim" (.Values.persistence).enabled) | nindent 6 }}
      containers:
        - name: {{ .Chart.Name }}
          {{- include "switchyard.container" . | nindent 10 }}
          command: [tini, --, node, services/{{ .Chart.Name }}/dist/main.js]
          ports:
            - { name: http, containerPort: 8081 }
            {{- if $self.public }}
            - { name: public, containerPort: 8080 }
            {{- else }}
            - { name: grpc, containerPort: 50051 }
            {{- end }}
          startupProbe:
            httpGet: { path: /-/liveness, port: {{ $port }} }
            periodSeconds: 2
            failureThreshold: 60
          livenessProbe:
            httpGet: { path: /-/liveness, port: {{ $port }} }
          readinessProbe:
            httpGet: { path: /-/readiness, port: {{ $port }} }
            periodSeconds: 5
          lifecycle:
            # Endpoints forget a pod a moment after it is told to go.
            preStop: { exec: { command: [sleep, "5"] } }
          resources:
            {{- toYaml .Values.resources | nindent 12 }}
{{- end -}}

{{- define "switchyard.service" -}}
{{- $self := include "switchyard.self" . | fromYaml -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ include "switchyard.name" . }}
  labels:
    {{- include "switchyard.labels" . | nindent 4 }}
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
{{- $metrics := ((.Values.global).metricsNamespace) | default .Values.networkPolicy.metricsNamespace -}}
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
  backoffLimit: 3
  template:
    metadata:
      labels:
        app.kubernetes.io/part-of: switchyard
    spec:
      restartPolicy: Never
      {{- /* The claim does not exist before the installation, and migrations store no files. */}}
      {{- include "switchyard.pod" (dict "root" . "claim" false) | nindent 6 }}
      containers:
        - name: migrate
          {{- include "switchyard.container" . | nindent 10 }}
          command: [tini, --, node, services/{{ .Chart.Name }}/dist/main.js, migrate]
{{- end -}}

{{- define "switchyard.claim" -}}
{{- if (.Values.persistence).enabled -}}
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
