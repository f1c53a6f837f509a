/** What every release of the umbrella must say, as `helm --set` takes it. */
export const REQUIRED = ['global.config.kafkaBrokers=kafka:9092', 'global.config.externalUrl=https://forge.example'];

const kafka = (setting: string): string => `global.config.kafka.${setting}`;
const backup = ['backup.enabled=true', 'backup.claim=backups'];
// Classes that every API server has: it refuses the pod of `helm test` with another one.
const scheduled = [
  'global.tolerations[0].key=git',
  'global.nodeSelector.disk=ssd',
  'global.priorityClassName=system-cluster-critical',
];
const volumes = 'merge-requests.volume';
const storages = 'merge-requests.storages';

/** Settings of the umbrella, beside those that are required: tests say what is rendered, and a cluster must take it (`npm run test:cluster`). */
export const SETTINGS = {
  defaults: [],
  kafka: [
    ...[kafka('secretName=kafka-user'), kafka('tls=true'), kafka('ca=ca.crt'), kafka('saslMechanism=SCRAM-SHA-512')],
    ...[kafka('username=us'), kafka('password=password'), kafka('createTopics=false')],
  ],
  drains: ['merge-requests.drainSeconds=600', 'alerts.drainSeconds=5', 'alerts.terminationGracePeriodSeconds=20'],
  backup,
  backupOfClaims: [...backup, 'backup.sources={repositories,packages}'],
  backupOnNodes: [...backup, ...scheduled],
  backupOfMany: [
    ...backup,
    ...['packages.persistence.enabled=true', 'alerts.persistence.enabled=true'],
    ...['alerts.persistence.existingClaim=uploads', 'merge-requests.persistence.accessMode=ReadWriteMany'],
  ],
  backupOfStorages: [
    ...backup,
    'merge-requests.persistence.accessMode=ReadWriteMany',
    ...[`${volumes}s[0].name=fast`, `${volumes}s[0].persistentVolumeClaim.claimName=nvme`],
    ...[`${volumes}s[1].name=ca`, `${volumes}s[1].configMap.name=ca`],
    ...[`${volumes}Mounts[0].name=fast`, `${volumes}Mounts[0].mountPath=/data/storages/fast`],
    ...[`${volumes}Mounts[1].name=ca`, `${volumes}Mounts[1].mountPath=/ca`],
  ],
  storages: [
    ...[`${storages}[0].name=fast`, `${storages}[0].weight=3`, `${storages}[0].size=5Gi`, `${storages}[1].name=old`],
    ...[`${storages}[1].weight=0`, `${storages}[1].existingClaim=before`],
  ],
  metrics: ['global.metricsNamespace=monitoring'],
  ownBeforeAll: [
    ...['global.image.tag=8', 'gateway.image.tag=9', `alerts.image.digest=sha256:${'0a'.repeat(32)}`],
    ...['global.nodeSelector.disk=ssd', 'gateway.nodeSelector.disk=hdd', 'global.env.LOG_LEVEL=warn'],
    ...['packages.env.LOG_LEVEL=debug', 'global.config.tier=free', 'alerts.config.tier=premium'],
    ...['global.priorityClassName=system-node-critical', 'alerts.priorityClassName=', 'packages.config.tier='],
    ...['global.config.otlpEndpoint=http://traces:4318', 'alerts.config.otlpEndpoint='],
  ],
  autoscaling: ['gateway.autoscaling.enabled=true', 'gateway.autoscaling.maxReplicas=9'],
  monitoring: [
    ...['monitoring.rules.enabled=true', 'monitoring.rules.labels.release=prometheus'],
    ...['monitoring.dashboards.enabled=true', 'monitoring.rules.runbooks=https://docs.example/operations'],
    ...['gateway.podMonitor.enabled=true', 'merge-requests.podMonitor.enabled=true'],
  ],
  withoutTour: ['gateway.test.tour=false'],
  existingClaim: ['merge-requests.persistence.existingClaim=git'],
  volumeForFiles: ['packages.persistence.enabled=true'],
  manyPods: ['merge-requests.persistence.accessMode=ReadWriteMany', 'merge-requests.replicas=3'],
  entrances: [
    ...['gateway.ingress.enabled=true', 'gateway.ingress.tlsSecretName=certificate'],
    ...['gateway.httpRoute.enabled=true', 'gateway.httpRoute.parentRefs[0].name=public'],
    'gateway.trustedProxies={10.0.0.0/8,uniquelocal}',
  ],
  balancer: ['gateway.service.type=LoadBalancer', 'gateway.service.annotations.example\\.com/lb=internal'],
  scheduled,
  withoutPolicy: ['alerts.networkPolicy.enabled=false'],
  pods: [
    ...['global.labels.team=forge', 'global.podLabels.mesh=on', 'global.podAnnotations.example\\.com/note=yes'],
    ...['global.image.pullSecrets={registry}', 'alerts.serviceAccount.create=false'],
    ...['gateway.podDisruptionBudget.maxUnavailable=25%', 'gateway.resources.limits.memory=1Gi'],
    ...['global.env.SWITCHYARD_OUTBOUND_ALLOWED=10.0.0.0/8', 'gateway.env.SWITCHYARD_ALERT_PAYLOAD_LIMIT=2097152'],
    ...[
      'alerts.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key=zone',
    ],
    ...[
      'alerts.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].operator=Exists',
    ],
  ],
} as const satisfies Record<string, readonly string[]>;

/** Definitions that a cluster has by operators: sets of settings that need them. */
export const DEFINITIONS: Readonly<Partial<Record<keyof typeof SETTINGS, string>>> = {
  monitoring: 'monitoring.coreos.com',
  entrances: 'gateway.networking.k8s.io',
};
