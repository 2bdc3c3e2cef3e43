/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.IntNode;
import dev.baton.protocol.grpc.DeleteRunRequest;
import dev.baton.protocol.grpc.GetCheckpointRequest;
import dev.baton.protocol.grpc.PrepareForkRequest;
import dev.baton.protocol.grpc.PrepareForkResponse;
import dev.baton.protocol.manifest.CheckpointTrigger;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.manifest.ManifestCodec;
import dev.baton.protocol.state.RunState;
import dev.baton.protocol.state.StepState;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.ForkedFrom;
import dev.baton.protocol.trace.Milestone;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.store.objects.BucketClient;
import dev.baton.store.objects.CheckpointName;
import dev.baton.store.testing.CheckpointUploader;
import dev.baton.store.testing.PackedTestTree;
import dev.baton.store.testing.StoreTest;
import dev.baton.store.testing.TraceBuilder;
import io.grpc.Status;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
class ForkTest extends StoreTest {
  @Inject Pool pool;
  @Inject BucketClient bucket;

  private final TraceBuilder parent = new TraceBuilder();
  private Cut first;
  private Cut second;

  /** Two steps with files and one without, then a step that fails and leaves a checkpoint. */
  @BeforeEach
  void makeParent() {
    first = cut("first");
    second = cut("second");
    log.send(
        parent.created(),
        parent.assigned(1),
        parent.started(1),
        parent.completed(1, "build", first),
        parent.completed(1, "test", second),
        parent.completed(1, "count", null));
    client.snapshot(parent.run(), 1);
  }

  private Cut cut(String content) {
    return cut(parent.run(), content);
  }

  private Cut cut(String run, String content) {
    PackedTestTree tree = PackedTestTree.with(content + " of " + run);
    String id =
        new CheckpointUploader(client, run, "default", 1)
            .checkpoint(tree, CheckpointTrigger.STEP, Instant.now());
    return new Cut(tree.root().toString(), "baton-tree-2", 1000, 100, 10, id);
  }

  private PrepareForkRequest.Builder fork(TraceBuilder child) {
    return PrepareForkRequest.newBuilder().setRun(child.run()).setProject("default");
  }

  private PrepareForkResponse prepare(PrepareForkRequest.Builder request) {
    return client.checkpoints().prepareFork(request.build());
  }

  /** Returns the state that the runner of the fork's first epoch receives. */
  private RunState begin(TraceBuilder child, PrepareForkResponse prepared) {
    log.send(
        child.created(
            new ForkedFrom(prepared.getParent(), prepared.getPosition(), prepared.getStep(), null)),
        child.assigned(1));
    return client.snapshot(child.run(), 1);
  }

  private static StepState step(RunState state, String path) {
    return Objects.requireNonNull(state.steps().get(path));
  }

  private static String checkpoint(Cut cut) {
    return Objects.requireNonNull(cut.checkpoint());
  }

  private byte[] manifest(String checkpoint) {
    return client
        .checkpoints()
        .getCheckpoint(GetCheckpointRequest.newBuilder().setId(checkpoint).build())
        .getManifest()
        .toByteArray();
  }

  private void delete(String run) {
    client.maintenance().deleteRun(DeleteRunRequest.newBuilder().setRun(run).setNow(true).build());
  }

  private void end(TraceBuilder run) {
    log.send(run.ended(1));
    client.idsUntilEnd(run.run());
  }

  @Test
  void shouldBeginAfterTheStepWhoseCutWasAskedFor() {
    TraceBuilder child = new TraceBuilder();

    PrepareForkResponse prepared = prepare(fork(child).setCheckpoint(checkpoint(first)));
    RunState state = begin(child, prepared);

    assertThat(prepared.getParent()).isEqualTo(parent.run());
    assertThat(prepared.getStep()).isEqualTo("build");
    assertThat(state.steps()).containsOnlyKeys("build");
    assertThat(step(state, "build").status()).isEqualTo(StepState.Status.COMPLETED);
    assertThat(step(state, "build").output()).isEqualTo(new Output.Inline(IntNode.valueOf(1)));
    assertThat(state.branch("").next()).containsExactly("after-build");
    assertThat(state.head().epoch()).isEqualTo(1);
    assertThat(state.head().completed()).isZero();
    Cut own = Objects.requireNonNull(state.branch("").cut());
    assertThat(own.digest()).isEqualTo(first.digest());
    assertThat(own.checkpoint()).isNotEqualTo(first.checkpoint());
    Manifest copy = ManifestCodec.read(manifest(checkpoint(own)));
    assertThat(copy.sessionId()).isEqualTo(child.run());
    assertThat(copy.workspace().digest()).isEqualTo(first.digest());
    assertThat(copy.workspace().storedBytes()).isZero();
    assertThat(
            new CheckpointUploader(client, child.run(), "default", 1)
                .open(checkpoint(own))
                .getPacksCount())
        .isPositive();
    assertThat(client.snapshot(parent.run(), 1).steps()).hasSize(0);
  }

  @Test
  void shouldBeginAfterAStepThatHasNoCut() {
    TraceBuilder child = new TraceBuilder();

    RunState state = begin(child, prepare(fork(child).setParent(parent.run()).setStep("count")));

    assertThat(state.steps()).containsOnlyKeys("build", "test", "count");
    assertThat(state.branch("").next()).containsExactly("after-count");
    assertThat(Objects.requireNonNull(state.branch("").cut()).digest()).isEqualTo(second.digest());
  }

  @Test
  void shouldBeginOnTheFilesOfACheckpointInsideAStep() {
    Cut inside = cut("inside");
    log.send(
        parent.runner(1, new TraceEvent.StepStarted("deploy", "shell", 1, 1)),
        parent.runner(
            1,
            new TraceEvent.CheckpointSaved(
                checkpoint(inside), "deploy", "error", inside, null, null)));
    TraceBuilder child = new TraceBuilder();

    RunState state = begin(child, prepare(fork(child).setCheckpoint(checkpoint(inside))));

    assertThat(step(state, "deploy").status()).isEqualTo(StepState.Status.INTERRUPTED);
    assertThat(state.branch("").next()).containsExactly("after-count");
    assertThat(Objects.requireNonNull(state.branch("").cut()).digest()).isEqualTo(inside.digest());
  }

  @Test
  void shouldBeginAfterTheStepOfAMilestone() {
    Cut made = cut("milestone");
    log.send(
        parent.runner(1, new TraceEvent.StepStarted("deploy", "shell", 1, 1)),
        parent.runner(
            1,
            new TraceEvent.CheckpointSaved(
                checkpoint(made),
                "deploy",
                "milestone",
                made,
                null,
                new Milestone(0, "It is out", "tier0", "f".repeat(40), true))),
        parent.completed(1, "deploy", made));
    TraceBuilder child = new TraceBuilder();

    RunState state = begin(child, prepare(fork(child).setCheckpoint(checkpoint(made))));

    assertThat(step(state, "deploy").status()).isEqualTo(StepState.Status.COMPLETED);
    assertThat(state.branch("").next()).containsExactly("after-deploy");
    assertThat(Objects.requireNonNull(state.branch("").cut()).digest()).isEqualTo(made.digest());
  }

  @Test
  void shouldBeginWithFilesAlone() {
    TraceBuilder child = new TraceBuilder();

    RunState state =
        begin(child, prepare(fork(child).setCheckpoint(checkpoint(first)).setFilesOnly(true)));

    assertThat(state.steps()).isEmpty();
    assertThat(state.branch("").begun()).isFalse();
    assertThat(Objects.requireNonNull(state.branch("").cut()).digest()).isEqualTo(first.digest());
  }

  @Test
  void shouldOutliveItsParentsAndTheirs() {
    TraceBuilder child = new TraceBuilder();
    TraceBuilder unborn = new TraceBuilder();
    PrepareForkResponse prepared = prepare(fork(child).setCheckpoint(checkpoint(first)));
    prepare(fork(unborn).setCheckpoint(checkpoint(second)));
    end(parent);

    delete(parent.run());

    RunState state = begin(child, prepared);
    assertThat(state.steps()).containsOnlyKeys("build");
    Cut began = Objects.requireNonNull(state.branch("").cut());
    log.send(child.started(1), child.completed(1, "look", null));
    TraceBuilder early = new TraceBuilder();
    PrepareForkResponse looked =
        prepare(fork(early).setParent(child.run()).setStep("look").addSeen(child.run() + "/1/2"));
    Cut more = cut(child.run(), "more");
    log.send(child.completed(1, "after-build", more));
    TraceBuilder grandchild = new TraceBuilder();
    TraceBuilder sibling = new TraceBuilder();
    PrepareForkResponse later = prepare(fork(grandchild).setCheckpoint(checkpoint(more)));
    PrepareForkResponse where = prepare(fork(sibling).setCheckpoint(checkpoint(began)));
    end(child);
    delete(child.run());

    RunState grand = begin(grandchild, later);
    assertThat(grand.steps()).containsOnlyKeys("build", "look", "after-build");
    assertThat(open(grandchild, grand)).isEqualTo(more.digest());
    RunState beside = begin(sibling, where);
    assertThat(beside.steps()).containsOnlyKeys("build");
    assertThat(open(sibling, beside)).isEqualTo(first.digest());
    RunState late = begin(unborn, prepare(fork(unborn).setCheckpoint(checkpoint(second))));
    assertThat(late.steps()).containsOnlyKeys("build", "test");
    assertThat(open(unborn, late)).isEqualTo(second.digest());
  }

  /** Returns the digest of the files that the fork's runner restores. */
  private String open(TraceBuilder child, RunState state) {
    String id = checkpoint(Objects.requireNonNull(state.branch("").cut()));
    byte[] bytes =
        new CheckpointUploader(client, child.run(), "default", 1)
            .open(id)
            .getManifest()
            .toByteArray();
    return ManifestCodec.read(bytes).workspace().digest();
  }

  @Test
  void shouldStoreTheObjectsOfItsCheckpointsThoughACrashPreventedIt() {
    TraceBuilder child = new TraceBuilder();
    PrepareForkRequest.Builder request = fork(child).setCheckpoint(checkpoint(second));
    prepare(request);
    String id = RunId.derived(child.run(), checkpoint(second));
    String key = new CheckpointName("default", child.run(), id).manifestKey(manifest(id));
    assertThat(get(bucket.size(key))).isPresent();
    client.until(() -> isPending(id), pending -> !pending);
    get(bucket.remove(key));
    get(
        pool.preparedQuery("UPDATE store.checkpoint SET object_pending = true WHERE id = $1")
            .execute(Tuple.of(id)));

    prepare(request);

    assertThat(get(bucket.size(key))).isPresent();
  }

  private boolean isPending(String id) {
    return get(pool.preparedQuery("SELECT object_pending FROM store.checkpoint WHERE id = $1")
            .execute(Tuple.of(id)))
        .iterator()
        .next()
        .getBoolean(0);
  }

  private static <T> T get(Uni<T> answer) {
    return answer.await().atMost(Duration.ofSeconds(10));
  }

  @Test
  void shouldSayWhyItCannotBegin() {
    TraceBuilder child = new TraceBuilder();
    String unknown = RunId.next();
    assertStatus(() -> prepare(fork(child).setCheckpoint(unknown)), Status.Code.NOT_FOUND, unknown);
    assertStatus(
        () -> prepare(fork(child).setProject("other").setCheckpoint(checkpoint(first))),
        Status.Code.NOT_FOUND,
        "project other has no checkpoint");
    assertStatus(
        () -> prepare(fork(child).setParent(parent.run()).setStep("deploy")),
        Status.Code.NOT_FOUND,
        "has not completed a step 'deploy'");
    assertStatus(
        () -> prepare(fork(child)), Status.Code.INVALID_ARGUMENT, "either checkpoint or step");
    Cut untold = cut("untold");
    assertStatus(
        () -> prepare(fork(child).setCheckpoint(checkpoint(untold))),
        Status.Code.FAILED_PRECONDITION,
        "no_checkpoint: no event of run");
    Cut late = cut("late");
    log.send(parent.assigned(2));
    client.snapshot(parent.run(), 2);
    log.send(parent.completed(1, "deploy", late), parent.started(2));
    assertStatus(
        () -> prepare(fork(child).setCheckpoint(checkpoint(late))),
        Status.Code.FAILED_PRECONDITION,
        "after its runner had been replaced");
  }

  @Test
  void shouldNotBeginWithNothing() {
    TraceBuilder orphan = new TraceBuilder();
    PrepareForkResponse prepared = prepare(fork(orphan).setCheckpoint(checkpoint(first)));
    pool.preparedQuery("DELETE FROM store.event WHERE run = $1")
        .execute(Tuple.of(parent.run()))
        .await()
        .indefinitely();
    assertStatus(() -> begin(orphan, prepared), Status.Code.FAILED_PRECONDITION, "origin_lost");

    TraceBuilder unprepared = new TraceBuilder();
    assertStatus(() -> begin(unprepared, prepared), Status.Code.FAILED_PRECONDITION, "origin_lost");
  }
}
