/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.operator;

import dev.baton.operator.OrchestratorException.RejectedException;
import dev.baton.operator.OrchestratorException.UnavailableException;
import dev.baton.operator.RunStatusMapper.AppliedMode;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.IndexerResourceCache;
import io.javaoperatorsdk.operator.processing.event.source.inbound.SimpleInboundEventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Starts the run of a Run, applies its operating mode, and writes its status when that differs from
 * the one in the cluster. Progress of steps alone is written every ten seconds. Reports of the
 * orchestrator arrive through {@link #changed}. Thread-safe.
 */
final class RunResourceReconciler implements Reconciler<RunCustomResource> {
  private static final String BY_WORKFLOW = "workflow";
  private static final Duration PROGRESS = Duration.ofSeconds(10);

  /** A stored workflow of that name may appear without an event. */
  private static final Duration LOOK_AGAIN = Duration.ofSeconds(30);

  private final OrchestratorClient orchestrator;
  private final RunStatusMapper statuses;
  private final Clock clock;
  private final RunReportCache reports = new RunReportCache();
  private final SimpleInboundEventSource<RunCustomResource> changes =
      new SimpleInboundEventSource<>("orchestrator");
  private volatile @Nullable IndexerResourceCache<RunCustomResource> resources;

  RunResourceReconciler(OrchestratorClient orchestrator, Clock clock) {
    this.orchestrator = orchestrator;
    this.statuses = new RunStatusMapper(clock);
    this.clock = clock;
  }

  @Override
  public List<EventSource<?, RunCustomResource>> prepareEventSources(
      EventSourceContext<RunCustomResource> context) {
    IndexerResourceCache<RunCustomResource> cache = context.getPrimaryCache();
    cache.addIndexer(BY_WORKFLOW, RunResourceReconciler::awaitedWorkflow);
    resources = cache;
    InformerEventSource<WorkflowCustomResource, RunCustomResource> workflows =
        new InformerEventSource<>(
            InformerEventSourceConfiguration.from(
                    WorkflowCustomResource.class, RunCustomResource.class)
                .withPrimaryToSecondaryMapper(RunResourceReconciler::workflowOf)
                .withSecondaryToPrimaryMapper(
                    workflow ->
                        cache
                            .byIndex(
                                BY_WORKFLOW,
                                key(
                                    workflow.getMetadata().getNamespace(),
                                    workflow.getMetadata().getName()))
                            .stream()
                            .map(ResourceID::fromResource)
                            .collect(Collectors.toSet()))
                .withNamespacesInheritedFromController()
                .build(),
            context);
    return List.of(changes, workflows);
  }

  /** Returns the key of the Workflow that a Run which has not started waits for. */
  private static List<String> awaitedWorkflow(RunCustomResource run) {
    RunResourceStatus status = run.getStatus();
    WorkflowReference reference = run.specOrEmpty().workflowRef();
    return reference == null || status != null && status.runId() != null
        ? List.of()
        : List.of(key(run.getMetadata().getNamespace(), reference.name()));
  }

  private static Set<ResourceID> workflowOf(io.fabric8.kubernetes.api.model.HasMetadata primary) {
    WorkflowReference reference = ((RunCustomResource) primary).specOrEmpty().workflowRef();
    return reference == null
        ? Set.of()
        : Set.of(new ResourceID(reference.name(), primary.getMetadata().getNamespace()));
  }

  private static String key(String namespace, String name) {
    return namespace + "/" + name;
  }

  /** Receives a report of the orchestrator. */
  void changed(RunReport report) {
    if (isPresent(report.resource())) {
      reports.put(report);
      changes.propagateEvent(
          new ResourceID(report.resource().name(), report.resource().namespace()));
    }
  }

  /** Whether the cache of the watch contains the resource with its uid. */
  boolean isPresent(ResourceKey resource) {
    IndexerResourceCache<RunCustomResource> cache = resources;
    return cache != null
        && cache
            .get(new ResourceID(resource.name(), resource.namespace()))
            .filter(found -> found.getMetadata().getUid().equals(resource.uid()))
            .isPresent();
  }

  @Override
  public UpdateControl<RunCustomResource> reconcile(
      RunCustomResource run, Context<RunCustomResource> context) throws UnavailableException {
    String uid = run.getMetadata().getUid();
    if (context.isPrimaryResourceDeleted() || run.isMarkedForDeletion()) {
      orchestrator.keepDeletionPolicy(uid, run.specOrEmpty().deletion());
      orchestrator.endDeleted(uid);
      reports.remove(uid);
      return UpdateControl.noUpdate();
    }
    Optional<RunReport> known = reports.get(uid);
    if (known.isEmpty()) {
      known = orchestrator.read(uid).map(reports::newest);
    }
    if (known.isPresent()) {
      return follow(run, known.get(), context);
    }
    RunResourceStatus before = run.getStatus();
    if (before != null && before.runId() != null) {
      return write(run, statuses.deleted(run, before));
    }
    return start(run, context);
  }

  private UpdateControl<RunCustomResource> start(
      RunCustomResource run, Context<RunCustomResource> context) throws UnavailableException {
    if (run.specOrEmpty().operatingMode() == RunOperatingMode.CANCELLED) {
      return write(run, statuses.cancelled(run));
    }
    try {
      Optional<RunStart> start =
          RunStartFactory.create(run, context.getSecondaryResource(WorkflowCustomResource.class));
      if (start.isEmpty()) {
        // The Workflow's status is an event of this Run.
        return UpdateControl.<RunCustomResource>noUpdate().rescheduleAfter(LOOK_AGAIN);
      }
      RunReport report = reports.newest(orchestrator.start(start.get()));
      return follow(run, report, context);
    } catch (RejectedException e) {
      return write(run, statuses.rejected(run, e.reason(), e.text())).rescheduleAfter(LOOK_AGAIN);
    }
  }

  private UpdateControl<RunCustomResource> follow(
      RunCustomResource run, RunReport report, Context<RunCustomResource> context)
      throws UnavailableException {
    RunSpec spec = run.specOrEmpty();
    if (report.onDelete() != spec.deletion()) {
      orchestrator.keepDeletionPolicy(run.getMetadata().getUid(), spec.deletion());
    }
    AppliedMode mode = applyMode(run, report);
    UpdateControl<RunCustomResource> update = write(run, statuses.of(run, report, mode));
    Long ttl = spec.ttlSecondsAfterFinished();
    Instant ended = report.endedAt();
    if (ttl == null || ended == null || !report.ended()) {
      return update;
    }
    Duration left = Duration.between(clock.instant(), ended.plusSeconds(ttl));
    if (left.isPositive()) {
      return update.rescheduleAfter(left);
    }
    context.getClient().resource(run).delete();
    return UpdateControl.noUpdate();
  }

  /** Applies a mode once, when the spec requests another one than before. */
  private @Nullable AppliedMode applyMode(RunCustomResource run, RunReport report)
      throws UnavailableException {
    RunOperatingMode wanted = run.specOrEmpty().operatingMode();
    RunResourceStatus before = run.getStatus();
    RunOperatingMode applied = before == null ? null : before.operatingMode();
    if (wanted == null
        || wanted == applied
        || applied == null && wanted == RunOperatingMode.RUNNING) {
      return applied == null ? null : new AppliedMode(applied, refusal(before));
    }
    try {
      orchestrator.apply(report.run(), wanted);
      return new AppliedMode(wanted, null);
    } catch (RejectedException e) {
      return new AppliedMode(wanted, e.text());
    }
  }

  private static @Nullable String refusal(@Nullable RunResourceStatus before) {
    return before == null
        ? null
        : ResourceCondition.find(before.conditions(), ResourceCondition.MODE_APPLIED)
            .filter(condition -> !condition.isTrue())
            .map(ResourceCondition::message)
            .orElse(null);
  }

  private UpdateControl<RunCustomResource> write(RunCustomResource run, RunResourceStatus status) {
    RunResourceStatus before = run.getStatus();
    if (status.equals(before)) {
      return UpdateControl.noUpdate();
    }
    String uid = run.getMetadata().getUid();
    if (before != null && status.differsOnlyInProgressFrom(before)) {
      Duration left = PROGRESS.minus(reports.sinceWrite(uid).orElse(PROGRESS));
      if (left.isPositive()) {
        return UpdateControl.<RunCustomResource>noUpdate().rescheduleAfter(left);
      }
    }
    reports.written(uid);
    RunCustomResource patch = new RunCustomResource();
    patch.setMetadata(
        new ObjectMetaBuilder()
            .withName(run.getMetadata().getName())
            .withNamespace(run.getMetadata().getNamespace())
            .build());
    patch.setStatus(status);
    return UpdateControl.patchStatus(patch);
  }
}
