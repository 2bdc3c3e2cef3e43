/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.checkpoints;

import dev.baton.orchestrator.events.StoredTraceClient;
import dev.baton.orchestrator.identity.ProjectAccess;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.runs.RunQueryService;
import dev.baton.orchestrator.runs.RunView;
import dev.baton.protocol.grpc.Cut;
import dev.baton.protocol.grpc.ListCheckpointsRequest;
import dev.baton.protocol.grpc.PinCheckpointRequest;
import dev.baton.protocol.grpc.StoredCheckpoint;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.json.TextShortener;
import dev.baton.protocol.trace.RunId;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Looks up checkpoints by full id or by the end of an id. Thread-safe. */
@ApplicationScoped
class CheckpointLookupService {
  static final int PAGE = 1_000;
  private static final int MAX_PAGES = 10;
  private static final int MAX_CANDIDATES = 20;

  private final CheckpointClient store;
  private final StoredTraceClient trace;
  private final RunQueryService runs;

  CheckpointLookupService(CheckpointClient store, StoredTraceClient trace, RunQueryService runs) {
    this.store = store;
    this.trace = trace;
    this.runs = runs;
  }

  /**
   * Returns the full id; fails with a problem when no or several checkpoints match. A checkpoint
   * that the caller cannot see does not exist.
   *
   * @param project in which a part of an id is searched
   */
  Uni<String> resolve(String text, String project, ProjectAccess access) {
    if (access.permitted().all()) {
      return named(text, project);
    }
    if (RunId.isValid(text)) {
      return store
          .find(text, access.visible())
          .invoke(
              found -> {
                // A store of an earlier version does not filter.
                if (!access.visible().contains(found.getProject())) {
                  throw unknown(text, "does not exist");
                }
                access.require(found.getProject());
              })
          .map(StoredCheckpoint::getId);
    }
    return access.visible().contains(project)
        ? named(text, project).invoke(id -> access.require(project))
        : Uni.createFrom().failure(unknown(text, searched(0, project)));
  }

  /** Like {@link #resolve}, for a caller with access to the project; a full id is not looked up. */
  Uni<String> named(String text, String project) {
    if (RunId.isValid(text)) {
      return Uni.createFrom().item(text);
    }
    if (!text.matches("[0-9a-hjkmnp-tv-z]{6,25}")) {
      throw unknown(text, "is named by its id (26 characters) or the last six or more of it");
    }
    return all(ListCheckpointsRequest.newBuilder().setProject(project))
        .map(
            all -> {
              List<String> found =
                  all.stream()
                      .map(StoredCheckpoint::getId)
                      .filter(id -> id.endsWith(text))
                      .limit(MAX_CANDIDATES)
                      .toList();
              return switch (found.size()) {
                case 0 -> throw unknown(text, searched(all.size(), project));
                case 1 -> found.getFirst();
                default ->
                    throw ProblemException.ambiguous(
                        "'" + text + "' matches several checkpoints; use one of the candidates",
                        found);
              };
            });
  }

  private static String searched(int number, String project) {
    return "was searched among the newest %,d of project '%s'"
        .formatted(number, TextShortener.shorten(project, 64));
  }

  private static ProblemException unknown(String text, String hint) {
    return new ProblemException(
        ProblemKind.NOT_FOUND,
        "no checkpoint '%s'; one %s".formatted(TextShortener.shorten(text, 64), hint));
  }

  Uni<CheckpointResource.Page> page(ListCheckpointsRequest request) {
    return store
        .list(request)
        .map(
            page ->
                new CheckpointResource.Page(
                    page.getCheckpointsList().stream()
                        .map(each -> StoredCheckpointView.of(each, null))
                        .toList(),
                    page.getNextCursor().isEmpty() ? null : page.getNextCursor()));
  }

  Uni<StoredCheckpointView> get(String id) {
    return store
        .get(id)
        .map(
            found ->
                StoredCheckpointView.of(
                    found.getCheckpoint(), Json.tree(found.getManifest().toByteArray())));
  }

  Uni<CheckpointDownloadView> open(String id) {
    return store
        .get(id)
        .chain(
            found ->
                epoch(found.getCheckpoint())
                    .chain(epoch -> store.open(found.getCheckpoint(), epoch)))
        .map(opened -> CheckpointDownloadView.of(id, opened));
  }

  /** The newest epoch of the run; for a run that only the store has, the checkpoint's epoch. */
  private Uni<Integer> epoch(StoredCheckpoint checkpoint) {
    return runs.get(checkpoint.getRun())
        .map(RunView::epoch)
        .onFailure(
            failure ->
                failure instanceof ProblemException problem
                    && problem.kind() == ProblemKind.NOT_FOUND)
        .recoverWithItem(checkpoint.getEpoch());
  }

  Uni<StoredCheckpointView> pin(PinCheckpointRequest request) {
    return store.pin(request).map(pinned -> StoredCheckpointView.of(pinned, null));
  }

  Uni<CheckpointVerificationView> verify(String id) {
    return store.verify(id).map(answer -> CheckpointVerificationView.of(id, answer));
  }

  /** Lists a run's cuts, newest first, with the data of their stored checkpoints. */
  Uni<List<RunCheckpointView>> cuts(String run) {
    return trace
        .cuts(run)
        .chain(
            cuts ->
                cuts.stream().allMatch(cut -> cut.getCheckpoint().isEmpty())
                    ? Uni.createFrom().item(views(cuts, List.of()))
                    : all(ListCheckpointsRequest.newBuilder().setRun(run))
                        .map(all -> views(cuts, all)));
  }

  private static List<RunCheckpointView> views(List<Cut> cuts, List<StoredCheckpoint> checkpoints) {
    Map<String, StoredCheckpoint> byId = new HashMap<>();
    checkpoints.forEach(each -> byId.put(each.getId(), each));
    return cuts.stream()
        .map(cut -> RunCheckpointView.of(cut, byId.get(cut.getCheckpoint())))
        .toList();
  }

  /** Lists checkpoints, newest first; at most ten pages. */
  private Uni<List<StoredCheckpoint>> all(ListCheckpointsRequest.Builder request) {
    return further(request.setLimit(PAGE).build(), new ArrayList<>(), 1);
  }

  private Uni<List<StoredCheckpoint>> further(
      @Nullable ListCheckpointsRequest request, List<StoredCheckpoint> found, int pages) {
    if (request == null || pages > MAX_PAGES) {
      return Uni.createFrom().item(found);
    }
    return store
        .list(request)
        .chain(
            page -> {
              found.addAll(page.getCheckpointsList());
              String next = page.getNextCursor();
              return further(
                  next.isEmpty() ? null : request.toBuilder().setCursor(next).build(),
                  found,
                  pages + 1);
            });
  }
}
