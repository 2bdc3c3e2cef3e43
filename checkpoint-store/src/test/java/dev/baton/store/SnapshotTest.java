/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.IntNode;
import dev.baton.protocol.grpc.Caller;
import dev.baton.protocol.grpc.Cut;
import dev.baton.protocol.grpc.GetSnapshotRequest;
import dev.baton.protocol.grpc.ListCutsRequest;
import dev.baton.protocol.grpc.RequireFilesRequest;
import dev.baton.protocol.grpc.Snapshot;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.manifest.CheckpointTrigger;
import dev.baton.protocol.state.RunState;
import dev.baton.protocol.state.RunStatus;
import dev.baton.protocol.state.StepState;
import dev.baton.protocol.trace.DamagedCheckpoint;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.snapshot.Pack;
import dev.baton.store.objects.BucketClient;
import dev.baton.store.packs.PackRepository;
import dev.baton.store.testing.CheckpointUploader;
import dev.baton.store.testing.PackedTestTree;
import dev.baton.store.testing.StoreTest;
import dev.baton.store.testing.StoreTestClient;
import dev.baton.store.testing.TraceBuilder;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

@QuarkusTest
class SnapshotTest extends StoreTest {
  @Inject BucketClient bucket;

  @Test
  void shouldWaitForTheFenceOfItsEpoch() throws Exception {
    TraceBuilder trace = new TraceBuilder();
    log.send(trace.created(), trace.assigned(1), trace.started(1));
    var asked = StoreTestClient.beside(() -> client.snapshot(trace.run(), 2));
    log.send(trace.completed(1, "clone", TraceBuilder.cut("one")));
    assertThat(client.snapshot(trace.run(), 1).steps()).isEmpty();
    assertThat(asked).isNotDone();

    log.send(trace.assigned(2));

    RunState state = asked.get(20, TimeUnit.SECONDS);
    assertThat(state.head().epoch()).isEqualTo(2);
    assertThat(state.steps()).containsOnlyKeys("clone");
    assertThat(state.branch("").next()).containsExactly("after-clone");
    assertThat(state.branch("").cut()).isEqualTo(TraceBuilder.cut("one"));
  }

  @Test
  void shouldKeepFencedEventsInTheTraceAndOutOfTheState() {
    TraceBuilder trace = new TraceBuilder();
    log.send(
        trace.created(),
        trace.assigned(1),
        trace.started(1),
        trace.completed(1, "clone", TraceBuilder.cut("one")),
        trace.assigned(2),
        trace.completed(1, "fenced", TraceBuilder.cut("fenced")),
        trace.ended(1),
        trace.started(2),
        trace.completed(2, "gather", TraceBuilder.cut("two")),
        trace.ended(2));

    // The stream ends with the real end of the run, not with the fenced runner's run_completed.
    assertThat(client.idsUntilEnd(trace.run()))
        .containsExactly(
            trace.run() + "/c/1",
            trace.run() + "/c/2",
            trace.run() + "/1/1",
            trace.run() + "/1/2",
            trace.run() + "/c/3",
            trace.run() + "/1/3",
            trace.run() + "/1/4",
            trace.run() + "/2/1",
            trace.run() + "/2/2",
            trace.run() + "/2/3");
    RunState now = client.snapshot(trace.run(), 0);
    assertThat(now.steps()).containsOnlyKeys("clone", "gather");
    assertThat(now.head().fenced()).isEqualTo(2);
    assertThat(now.head().status()).isEqualTo(RunStatus.COMPLETED);
    assertThat(
            client
                .snapshots()
                .listCuts(ListCutsRequest.newBuilder().setRun(trace.run()).build())
                .getCutsList())
        .extracting(Cut::getStep)
        .containsExactly("gather", "clone");
    assertThat(client.get("/runs/" + trace.run() + "/checkpoints").body())
        .contains("\"step\":\"gather\"")
        .doesNotContain("fenced");
  }

  private Snapshot before(String run, String step) {
    return client
        .snapshots()
        .getSnapshot(
            GetSnapshotRequest.newBuilder()
                .setCaller(Caller.newBuilder().setRun(run))
                .setBeforeStep(step)
                .build());
  }

  @Test
  void shouldKnowWhatWasBeforeAStepAndGoBackThere() throws Exception {
    TraceBuilder trace = new TraceBuilder();
    log.send(
        trace.created(),
        trace.assigned(1),
        trace.started(1),
        trace.completed(1, "a", TraceBuilder.cut("one")),
        trace.completed(1, "after-a", TraceBuilder.cut("two")),
        trace.runner(1, new TraceEvent.RunPaused(null)));
    String after = trace.run() + "/1/2";
    log.send(
        trace.control(
            new TraceEvent.ResumeRequested(
                "me",
                "after-a",
                after,
                Map.of("a", new Output.Inline(IntNode.valueOf(9))),
                List.of(),
                null,
                List.of(),
                null)),
        trace.control(new TraceEvent.RunnerAssigned(2, null, "resume")));

    RunState state = client.snapshot(trace.run(), 2);

    assertThat(state.steps()).containsOnlyKeys("a");
    assertThat(state.steps().values())
        .extracting(StepState::output)
        .containsExactly(new Output.Inline(IntNode.valueOf(9)));
    assertThat(state.branch("").next()).containsExactly("after-a");
    assertThat(state.branch("").cut()).isEqualTo(TraceBuilder.cut("one"));
    assertThat(state.head().resumed()).isTrue();
    assertThat(before(trace.run(), "a").getAfter()).isEmpty();
    assertThat(Json.read(before(trace.run(), "a").getState().toByteArray(), RunState.class).steps())
        .isEmpty();
    // The resume itself was the last event that scheduled the step.
    assertThat(before(trace.run(), "after-a").getAfter()).isEqualTo(trace.run() + "/c/3");
    assertThatThrownBy(() -> before(trace.run(), "never"))
        .hasMessageContaining("NOT_FOUND")
        .hasMessageContaining("never");
  }

  @Test
  void shouldSayThatTheFilesBeforeAStepAreGone() {
    TraceBuilder trace = new TraceBuilder();
    log.send(
        trace.created(),
        trace.assigned(1),
        trace.completed(
            1, "a", TraceBuilder.cut("one").withCheckpoint("01jd0000000000000000000000")),
        trace.completed(1, "after-a", null),
        trace.assigned(2));

    assertThat(client.snapshot(trace.run(), 2).steps()).hasSize(2);
    assertThatThrownBy(() -> before(trace.run(), "after-a"))
        .hasMessageContaining("checkpoint_gone")
        .hasMessageContaining("01jd0000000000000000000000");
    assertThatThrownBy(() -> requireFiles(trace.run()))
        .hasMessageContaining("FAILED_PRECONDITION")
        .hasMessageContaining("checkpoint_gone")
        .hasMessageContaining("01jd0000000000000000000000");
  }

  private Snapshot without(String run, int epoch, String... damaged) {
    return client
        .snapshots()
        .getSnapshot(
            GetSnapshotRequest.newBuilder()
                .setCaller(Caller.newBuilder().setRun(run).setEpoch(epoch))
                .addAllDamaged(List.of(damaged))
                .build());
  }

  private String checkpoint(String run, int content) {
    return new CheckpointUploader(client, run, "default", 1)
        .checkpoint(
            PackedTestTree.of(Map.of("file", new byte[] {(byte) content})),
            CheckpointTrigger.STEP,
            Instant.now());
  }

  @Test
  void shouldReturnTheLatestStateWithoutDamagedCheckpoints() {
    TraceBuilder trace = new TraceBuilder();
    log.send(trace.created(), trace.assigned(1));
    client.snapshot(trace.run(), 1);
    String one = checkpoint(trace.run(), 1);
    String three = checkpoint(trace.run(), 3);
    log.send(
        trace.started(1),
        trace.completed(1, "a", TraceBuilder.cut("one").withCheckpoint(one)),
        // Deleted by the retention.
        trace.completed(
            1, "b", TraceBuilder.cut("two").withCheckpoint("01jd0000000000000000000000")),
        trace.completed(1, "c", TraceBuilder.cut("three").withCheckpoint(three)),
        trace.assigned(2));

    Snapshot snapshot = without(trace.run(), 2, three);

    RunState state = Json.read(snapshot.getState().toByteArray(), RunState.class);
    assertThat(snapshot.getAfter()).isEqualTo(trace.run() + "/1/2");
    assertThat(state.steps()).containsOnlyKeys("a");
    assertThat(state.head().epoch()).isEqualTo(2);
    assertThat(state.branch("").next()).containsExactly("after-a");
    assertThat(without(trace.run(), 2, three, one).getAfter()).isEmpty();
    log.send(
        trace.runner(
            2,
            new TraceEvent.RunDegraded(
                List.of(new DamagedCheckpoint("", three, "sha256:3", "gone")),
                snapshot.getAfter())),
        trace.assigned(3));
    RunState next = client.snapshot(trace.run(), 3);
    assertThat(next.steps()).isEqualTo(state.steps());
    assertThat(next.branches()).isEqualTo(state.branches());
    assertThat(next.head().degraded()).hasSize(1);
    assertThatThrownBy(() -> without(trace.run(), 3, "x"))
        .hasMessageContaining("INVALID_ARGUMENT")
        .hasMessageContaining("checkpoint 'x'");
  }

  /** A repeated step has the same chunks; referring to the damaged pack it would be lost again. */
  @Test
  void shouldHaveTheChunksOfACheckpointThatCouldNotBeRestoredStoredAgain() {
    TraceBuilder trace = new TraceBuilder();
    String run = trace.run();
    log.send(trace.created(), trace.assigned(1));
    client.snapshot(run, 1);
    PackedTestTree tree = PackedTestTree.of(Map.of("file", run.getBytes(UTF_8)));
    String lost =
        new CheckpointUploader(client, run, "default", 1)
            .checkpoint(tree, CheckpointTrigger.STEP, Instant.now());
    log.send(
        trace.started(1),
        trace.completed(1, "a", TraceBuilder.cut("one").withCheckpoint(lost)),
        trace.assigned(2));
    client.snapshot(run, 2);
    CheckpointUploader next = new CheckpointUploader(client, run, "default", 2);
    assertThat(next.find(tree.chunks()).getPlacesList()).doesNotContain(0);
    // Truly lost, so that no verification between the requests below trusts the packs again.
    for (Pack pack : tree.packs()) {
      bucket
          .remove(PackRepository.key("default", pack.ref().id()))
          .await()
          .atMost(Duration.ofSeconds(10));
    }

    assertThat(without(run, 2, lost).getAfter()).isEmpty();

    assertThat(next.find(tree.chunks()).getPlacesList()).containsOnly(0);
    for (Pack pack : tree.packs()) {
      assertThat(next.prepare(pack).getPutUrl()).as("stored again").isNotEmpty();
      next.put(pack);
    }
    next.register(tree.packs());
    assertThat(next.find(tree.chunks()).getPlacesList()).doesNotContain(0);
  }

  private void requireFiles(String run) {
    client.snapshots().requireFiles(RequireFilesRequest.newBuilder().setRun(run).build());
  }

  @Test
  void shouldRequireTheFilesOfTheNewestCutsOnly() {
    TraceBuilder trace = new TraceBuilder();
    log.send(
        trace.created(),
        trace.assigned(1),
        trace.completed(
            1, "a", TraceBuilder.cut("one").withCheckpoint("01jd0000000000000000000000")));
    client.snapshot(trace.run(), 1);
    String checkpoint =
        new CheckpointUploader(client, trace.run(), "default", 1)
            .checkpoint(
                PackedTestTree.of(Map.of("file", new byte[] {1, 2, 3})),
                CheckpointTrigger.STEP,
                Instant.now());
    log.send(
        trace.completed(1, "b", TraceBuilder.cut("two").withCheckpoint(checkpoint)),
        trace.assigned(2));
    client.snapshot(trace.run(), 2);

    requireFiles(trace.run());

    assertThatThrownBy(() -> requireFiles(new TraceBuilder().run()))
        .hasMessageContaining("NOT_FOUND");
  }

  @Test
  void shouldSayWhatIsLateUnknownOrWrong() {
    TraceBuilder trace = new TraceBuilder();
    assertStatus(trace.run(), 3, 200, Status.Code.DEADLINE_EXCEEDED, "runner_assigned(3)");
    assertStatus(trace.run(), 0, 0, Status.Code.NOT_FOUND, trace.run());
    assertStatus("nonsense", 0, 0, Status.Code.INVALID_ARGUMENT, "nonsense");
    assertStatus(trace.run(), 1, 100_000, Status.Code.INVALID_ARGUMENT, "100000");
    assertThat(client.get("/runs/" + trace.run() + "/snapshot").statusCode()).isEqualTo(404);
    assertThat(client.get("/runs/x/snapshot").body())
        .contains("\"status\":400")
        .contains("run id 'x'");
    assertThat(client.get("/runs/" + trace.run() + "/events?limit=5000").body())
        .contains("limit is 5000, allowed is 1 to 1000");
  }

  private void assertStatus(
      String run, int epoch, long wait, Status.Code code, String description) {
    assertThatThrownBy(
            () ->
                client
                    .snapshots()
                    .getSnapshot(
                        GetSnapshotRequest.newBuilder()
                            .setCaller(Caller.newBuilder().setRun(run).setEpoch(epoch))
                            .setWaitMillis(wait)
                            .build()))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> {
              assertThat(e.getStatus().getCode()).isEqualTo(code);
              assertThat(e.getStatus().getDescription()).contains(description);
            });
  }
}
