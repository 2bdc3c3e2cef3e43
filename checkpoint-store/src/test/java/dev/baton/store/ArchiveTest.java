/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.baton.protocol.digest.Digest;
import dev.baton.protocol.grpc.Caller;
import dev.baton.protocol.grpc.DeleteRunRequest;
import dev.baton.protocol.grpc.DeleteRunResponse;
import dev.baton.protocol.grpc.Event;
import dev.baton.protocol.grpc.ListArchiveRequest;
import dev.baton.protocol.grpc.ListArchiveResponse;
import dev.baton.protocol.grpc.ListCheckpointsRequest;
import dev.baton.protocol.grpc.ObjectKind;
import dev.baton.protocol.grpc.ObjectRef;
import dev.baton.protocol.grpc.PrepareForkRequest;
import dev.baton.protocol.grpc.PrepareForkResponse;
import dev.baton.protocol.grpc.PrepareUploadRequest;
import dev.baton.protocol.grpc.ProjectFilter;
import dev.baton.protocol.grpc.Upload;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.manifest.CheckpointTrigger;
import dev.baton.protocol.state.RunState;
import dev.baton.protocol.topic.HomePartitioner;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.Failure;
import dev.baton.protocol.trace.ForkedFrom;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.TraceCodec;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.store.testing.ArchiveTestProfile;
import dev.baton.store.testing.CheckpointUploader;
import dev.baton.store.testing.GitCli;
import dev.baton.store.testing.PackedTestTree;
import dev.baton.store.testing.StoreTest;
import dev.baton.store.testing.TraceBuilder;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

/** Archives runs into a git repository and reads it with the git command. */
@QuarkusTest
@TestProfile(ArchiveTestProfile.class)
class ArchiveTest extends StoreTest {
  @Inject Pool pool;

  private final GitCli git = new GitCli(Path.of(Objects.requireNonNull(folder())));

  private static String folder() {
    return System.getProperty(ArchiveTestProfile.FOLDER);
  }

  /** Waits until the manifest of the run's newest commit has this status. */
  private JsonNode archived(String run, String status) {
    return client.until(
        () -> git.commit(run).isEmpty() ? Json.tree(utf8("{}")) : manifest(run),
        manifest -> manifest.path("status").asText().equals(status));
  }

  private JsonNode manifest(String run) {
    return Json.tree(utf8(git.show(run, "manifest.json")));
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static TraceEvent.RunCreated created(String definition) {
    return new TraceEvent.RunCreated(
        "managed",
        "default",
        "flow",
        Digest.of(new byte[0]),
        new Output.Inline(Json.tree(utf8("{\"who\":\"world\"}"))),
        Map.of("team", "blue"),
        null,
        "always",
        null,
        null,
        Instant.now(),
        null,
        0,
        definition);
  }

  private TraceBuilder complete() {
    TraceBuilder trace = new TraceBuilder();
    log.send(
        trace.control(created("{\"name\":\"flow\"}")),
        trace.assigned(1),
        trace.started(1),
        trace.completed(1, "build", null),
        trace.runner(1, new TraceEvent.RunCompleted(new Output.Inline(TextNode.valueOf("done")))));
    return trace;
  }

  private List<String> files(String run) {
    return git.run("ls-tree", "-r", "--name-only", "refs/baton/runs/" + run).lines().toList();
  }

  private ListArchiveResponse history(int limit, String cursor) {
    return client
        .archive()
        .listArchive(ListArchiveRequest.newBuilder().setLimit(limit).setCursor(cursor).build());
  }

  /** Deletes the rows of the run, as after a loss of Postgres. */
  private void forget(String run) {
    for (String table : List.of("event", "cut", "checkpoint_of", "fork", "object_use", "archive")) {
      if (table.equals("checkpoint_of")) {
        execute(
            """
            DELETE FROM store.checkpoint_pack WHERE checkpoint IN
              (SELECT number FROM store.checkpoint WHERE run = $1)""",
            run);
        execute("DELETE FROM store.checkpoint WHERE run = $1", run);
      } else {
        execute("DELETE FROM store." + table + " WHERE run = $1", run);
      }
    }
  }

  private void execute(String statement, String run) {
    pool.preparedQuery(statement).execute(Tuple.of(run)).await().atMost(Duration.ofSeconds(10));
  }

  private List<Event> awaitEvents(String run, int many) {
    return client.until(() -> client.events(run, false), events -> events.size() == many);
  }

  @Test
  void shouldPersistARunThatWasPausedWithoutARunner() {
    TraceBuilder trace = new TraceBuilder();
    log.send(
        trace.control(created("{\"name\":\"flow\"}")),
        trace.control(new TraceEvent.PauseRequested("someone", false, true, null)));

    assertThat(archived(trace.run(), "paused").path("events").asInt()).isEqualTo(2);
  }

  @Test
  void shouldPersistACompletedRun() {
    TraceBuilder trace = complete();

    JsonNode manifest = archived(trace.run(), "completed");

    assertThat(files(trace.run()))
        .containsExactlyInAnyOrder(
            "input.json", "manifest.json", "output.json", "trace.jsonl", "workflow.json");
    assertThat(git.show(trace.run(), "input.json")).contains("\"who\" : \"world\"");
    assertThat(git.show(trace.run(), "output.json")).isEqualTo("\"done\"\n");
    assertThat(git.show(trace.run(), "workflow.json")).isEqualTo("{\"name\":\"flow\"}");
    assertThat(manifest.path("labels").path("team").asText()).isEqualTo("blue");
    assertThat(manifest.path("events").asInt()).isEqualTo(5);
    List<String> lines = git.show(trace.run(), "trace.jsonl").lines().toList();
    assertThat(lines).hasSize(5);
    List<Event> events = client.events(trace.run(), false);
    for (int i = 0; i < 5; i++) {
      assertThat(lines.get(i))
          .contains(events.get(i).getId())
          .endsWith(",\"data\":" + events.get(i).getData().toStringUtf8() + "}");
    }
    git.run("fsck", "--strict");
    assertThat(git.run("log", "--format=%s", "refs/baton/runs/" + trace.run()))
        .isEqualTo("run " + trace.run() + " completed\n");
    assertThat(git.run("for-each-ref", "refs/heads")).isEmpty();
  }

  @Test
  void shouldPersistARunThatFailedAndEachOfItsNextStates() {
    TraceBuilder trace = new TraceBuilder();
    log.send(
        trace.created(),
        trace.assigned(1),
        trace.started(1),
        trace.runner(1, new TraceEvent.RunFailed("build", Failure.of("exit", "7"))));
    archived(trace.run(), "failed");

    log.send(
        trace.control(new TraceEvent.RunnerAssigned(2, "runner-2", "resume")), trace.started(2));
    log.send(
        trace.runner(
            2,
            new TraceEvent.ApprovalRequested(
                "ask", "01a", "continue?", null, null, null, null, null)));
    archived(trace.run(), "waiting");
    log.send(trace.ended(2));
    archived(trace.run(), "completed");

    assertThat(git.run("rev-list", "--count", "refs/baton/runs/" + trace.run()).strip())
        .isEqualTo("3");
  }

  @Test
  void shouldGiveStoredRunsAsHistory() {
    TraceBuilder older = complete();
    TraceBuilder newer = complete();
    archived(older.run(), "completed");
    archived(newer.run(), "completed");

    ListArchiveResponse first = history(1, newer.run() + "");
    ListArchiveResponse all = history(0, "");

    assertThat(first.getRuns(0).getRun()).isEqualTo(older.run());
    assertThat(all.getRunsList())
        .anySatisfy(
            run -> {
              assertThat(run.getRun()).isEqualTo(newer.run());
              assertThat(run.getCommit()).isEqualTo(git.commit(newer.run()));
              assertThat(Json.tree(run.getManifest().toByteArray()).path("status").asText())
                  .isEqualTo("completed");
            });
    assertThat(all.getRunsList())
        .extracting(run -> run.getRun())
        .isSortedAccordingTo((a, b) -> b.compareTo(a));
  }

  @Test
  void shouldListRunsOfVisibleProjectsOnly() {
    TraceBuilder trace = complete();
    archived(trace.run(), "completed");
    ListArchiveRequest.Builder request = ListArchiveRequest.newBuilder();

    ListArchiveResponse own =
        client
            .archive()
            .listArchive(
                request.setVisible(ProjectFilter.newBuilder().addProjects("default")).build());
    ListArchiveResponse foreign =
        client
            .archive()
            .listArchive(
                request.setVisible(ProjectFilter.newBuilder().addProjects("other")).build());

    assertThat(own.getRunsList()).extracting(run -> run.getRun()).contains(trace.run());
    assertThat(foreign.getRunsList()).isEmpty();
    assertThat(foreign.getNextCursor()).isEmpty();
  }

  @Test
  void shouldTakeOverARunThatPostgresDoesNotKnow() {
    TraceBuilder trace = complete();
    archived(trace.run(), "completed");
    List<Event> before = client.events(trace.run(), false);

    forget(trace.run());
    List<Event> after = awaitEvents(trace.run(), 5);

    assertThat(after)
        .extracting(Event::getId)
        .isEqualTo(before.stream().map(Event::getId).toList());
    assertThat(after)
        .extracting(Event::getData)
        .isEqualTo(before.stream().map(Event::getData).toList());
    assertThat(after)
        .extracting(Event::getTimeMicros)
        .isEqualTo(before.stream().map(Event::getTimeMicros).toList());
    String commit = git.commit(trace.run());
    client.until(() -> state(trace.run()), state -> state == 0);
    complete(); // archived later than the other run
    assertThat(git.commit(trace.run())).isEqualTo(commit);
  }

  private int state(String run) {
    var rows =
        pool.preparedQuery("SELECT state FROM store.archive WHERE run = $1")
            .execute(Tuple.of(run))
            .await()
            .atMost(Duration.ofSeconds(10));
    return rows.size() == 0 ? -1 : rows.iterator().next().getInteger(0);
  }

  @Test
  void shouldFinishATakeoverThatWasCutShort() {
    TraceBuilder trace = complete();
    archived(trace.run(), "completed");
    client.until(() -> state(trace.run()), state -> state == 0);

    // The rows as a store leaves them that is killed between two events.
    execute("DELETE FROM store.event WHERE run = $1 AND lane = 1 AND seq > 1", trace.run());
    execute("UPDATE store.archive SET state = 1, position = 0 WHERE run = $1", trace.run());

    assertThat(awaitEvents(trace.run(), 5))
        .extracting(event -> event.getId().substring(trace.run().length()))
        .containsExactly("/c/1", "/c/2", "/1/1", "/1/2", "/1/3");
    client.until(() -> state(trace.run()), state -> state == 0);
  }

  @Test
  void shouldKeepDataByteForByte() {
    TraceBuilder trace = new TraceBuilder();
    String odd =
        "{\n \"later\" : 1.50e3, \"text\":\"\\u0041 \\n\",\"created_at\":\"2030-01-01T00:00:00Z\"}";
    ProducerRecord<String, byte[]> pretty =
        TraceCodec.restore(
            TopicName.TRACE,
            HomePartitioner.choose(trace.run(), 8),
            new EventId(trace.run(), Lane.CONTROL, 1),
            URI.create("/foreign"),
            "dev.baton.run_created",
            null,
            utf8(odd));
    ProducerRecord<String, byte[]> unknown =
        TraceCodec.restore(
            TopicName.TRACE,
            HomePartitioner.choose(trace.run(), 8),
            new EventId(trace.run(), Lane.runner(1), 1),
            URI.create("/foreign"),
            "dev.baton.not_known_yet",
            Instant.parse("2030-01-01T00:00:00.000001Z"),
            utf8("{\"a\":  [1.0,\"}\"]}"));
    ProducerRecord<String, byte[]> cancelled =
        TraceCodec.restore(
            TopicName.TRACE,
            HomePartitioner.choose(trace.run(), 8),
            new EventId(trace.run(), Lane.CONTROL, 2),
            URI.create("/foreign"),
            "dev.baton.run_cancelled",
            Instant.now(),
            utf8("{}"));
    log.send(pretty, unknown, cancelled);
    archived(trace.run(), "cancelled");
    List<Event> before = client.events(trace.run(), false);

    forget(trace.run());
    List<Event> after = awaitEvents(trace.run(), 3);

    assertThat(after.getFirst().getData().toStringUtf8()).isEqualTo(odd);
    assertThat(after)
        .usingRecursiveFieldByFieldElementComparatorOnFields(
            "id_", "type_", "source_", "data_", "timeMicros_")
        .isEqualTo(before);
  }

  @Test
  void shouldCarryTheFilesThatAResumeNeedsAndTheOutputsByReference() {
    TraceBuilder trace = new TraceBuilder();
    log.send(trace.created(), trace.assigned(1), trace.started(1));
    client.snapshot(trace.run(), 1);
    byte[] output = utf8("an output of " + trace.run());
    String digest = upload(trace.run(), output);
    PackedTestTree tree = PackedTestTree.with("files of " + trace.run());
    String checkpoint =
        new CheckpointUploader(client, trace.run(), "default", 1)
            .checkpoint(tree, CheckpointTrigger.STEP, Instant.now());
    Cut cut = new Cut(tree.root().toString(), "baton-tree-2", 1000, 100, 10, checkpoint);
    log.send(
        trace.completedWith(1, "big", new Output.Ref(digest, output.length)),
        trace.completed(1, "build", cut),
        trace.runner(1, new TraceEvent.RunFailed("test", Failure.of("exit", "7"))));

    JsonNode manifest = archived(trace.run(), "failed");
    RunState state = client.snapshot(trace.run(), 0);

    assertThat(manifest.path("left_out")).isEmpty();
    assertThat(manifest.path("checkpoints").get(0).asText()).isEqualTo(checkpoint);
    assertThat(files(trace.run()))
        .contains("checkpoints/" + checkpoint + ".json", "blobs/" + digest.substring(7))
        .contains("packs/" + tree.packs().getFirst().ref().id().toString().substring(7));
    assertThat(git.show(trace.run(), "blobs/" + digest.substring(7)))
        .isEqualTo(new String(output, StandardCharsets.UTF_8));

    forget(trace.run());
    awaitEvents(trace.run(), 6);

    assertThat(client.snapshot(trace.run(), 0)).isEqualTo(state);
    assertThat(
            new CheckpointUploader(client, trace.run(), "default", 1)
                .open(checkpoint)
                .getPacksCount())
        .isEqualTo(tree.packs().size());
    assertThat(
            client
                .checkpoints()
                .listCheckpoints(ListCheckpointsRequest.newBuilder().setRun(trace.run()).build())
                .getCheckpointsCount())
        .isEqualTo(1);
  }

  private String upload(String run, byte[] bytes) {
    String digest = Digest.of(bytes);
    Upload upload =
        client
            .checkpoints()
            .prepareUpload(
                PrepareUploadRequest.newBuilder()
                    .setCaller(Caller.newBuilder().setRun(run).setEpoch(1))
                    .addObjects(
                        ObjectRef.newBuilder()
                            .setDigest(digest)
                            .setSizeBytes(bytes.length)
                            .setKind(ObjectKind.OBJECT_KIND_BLOB))
                    .build())
            .getUploads(0);
    assertThat(client.put(upload, bytes).statusCode()).isEqualTo(200);
    return digest;
  }

  @Test
  void shouldLeaveOutFilesThatAreTooLargeAndSaySo() {
    TraceBuilder trace = new TraceBuilder();
    log.send(trace.created(), trace.assigned(1), trace.started(1));
    client.snapshot(trace.run(), 1);
    byte[] noise = new byte[300_000];
    new Random(7).nextBytes(noise);
    PackedTestTree tree = PackedTestTree.of(Map.of("noise", noise));
    String checkpoint =
        new CheckpointUploader(client, trace.run(), "default", 1)
            .checkpoint(tree, CheckpointTrigger.STEP, Instant.now());
    log.send(
        trace.completed(
            1, "build", new Cut(tree.root().toString(), "baton-tree-2", 1000, 100, 10, checkpoint)),
        trace.runner(1, new TraceEvent.RunFailed("test", Failure.of("exit", "7"))));

    JsonNode manifest = archived(trace.run(), "failed");

    assertThat(manifest.path("checkpoints")).isEmpty();
    assertThat(manifest.path("left_out").get(0).path("name").asText()).isEqualTo(checkpoint);
    assertThat(manifest.path("left_out").get(0).path("reason").asText())
        .contains("baton.archive.max-workspace is 200000");
    assertThat(files(trace.run())).containsExactlyInAnyOrder("manifest.json", "trace.jsonl");
  }

  @Test
  void shouldTakeOverAForkWithoutItsParent() {
    TraceBuilder parent = new TraceBuilder();
    log.send(
        parent.created(),
        parent.assigned(1),
        parent.started(1),
        parent.completed(1, "build", null),
        parent.ended(1));
    client.idsUntilEnd(parent.run());
    TraceBuilder child = new TraceBuilder();
    PrepareForkResponse prepared =
        client
            .checkpoints()
            .prepareFork(
                PrepareForkRequest.newBuilder()
                    .setRun(child.run())
                    .setProject("default")
                    .setParent(parent.run())
                    .setStep("build")
                    .build());
    log.send(
        child.created(
            new ForkedFrom(prepared.getParent(), prepared.getPosition(), prepared.getStep(), null)),
        child.assigned(1),
        child.started(1),
        child.runner(1, new TraceEvent.RunFailed("test", Failure.of("exit", "7"))));
    archived(child.run(), "failed");
    RunState state = client.snapshot(child.run(), 0);
    assertThat(state.steps()).containsKey("build");

    client.maintenance().deleteRun(DeleteRunRequest.newBuilder().setRun(parent.run()).build());
    forget(child.run());
    awaitEvents(child.run(), 4);

    assertThat(client.snapshot(child.run(), 0)).isEqualTo(state);
  }

  @Test
  void shouldEraseADeletedRunForGood() {
    TraceBuilder trace = complete();
    archived(trace.run(), "completed");
    String commit = git.commit(trace.run());
    Path clone = git.folder().resolveSibling("clone-" + UUID.randomUUID());
    git.run("clone", "-q", "--mirror", git.folder().toString(), clone.toString());

    DeleteRunResponse proof =
        client.maintenance().deleteRun(DeleteRunRequest.newBuilder().setRun(trace.run()).build());

    assertThat(proof.getDeleted().getArchived()).isEqualTo(1);
    assertThat(proof.getLeft().getArchived()).isZero();
    assertThat(git.commit(trace.run())).isEmpty();
    // A later collection deletes its objects.
    client.until(() -> has(commit), there -> !there);
    git.run("fsck", "--strict");
    // The ref is restored by a fetch; the other run shows that the store has read the archive
    // since.
    git.run(
        "fetch",
        "-q",
        clone.toString(),
        "refs/baton/runs/" + trace.run() + ":refs/baton/runs/" + trace.run());
    TraceBuilder other = complete();
    archived(other.run(), "completed");
    forget(other.run());
    awaitEvents(other.run(), 5);
    assertThat(client.events(trace.run(), false)).isEmpty();
  }

  private boolean has(String commit) {
    return !git.run("cat-file", "--batch-check", "--batch-all-objects")
        .lines()
        .filter(l -> l.startsWith(commit))
        .toList()
        .isEmpty();
  }

  @Test
  void shouldNotMindARepositoryThatCannotBeWrittenAndMakeUpForItLater() throws IOException {
    TraceBuilder first = complete();
    archived(first.run(), "completed");
    Path aside = git.folder().resolveSibling("aside");
    Files.move(git.folder(), aside);
    Files.writeString(git.folder(), "no repository");

    TraceBuilder second = complete();

    assertThat(client.idsUntilEnd(second.run())).hasSize(5);
    assertThat(client.snapshot(second.run(), 0).head().isEnded()).isTrue();
    client.until(() -> metric("baton_store_archive_failures_total"), failures -> failures > 0);
    Files.delete(git.folder());
    Files.move(aside, git.folder());
    archived(second.run(), "completed");
  }

  private double metric(String name) {
    return client
        .get("/q/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith(name))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .sum();
  }

  @Test
  void shouldLeaveOutARunThatHasBeenTamperedWith() throws IOException {
    TraceBuilder trace = complete();
    archived(trace.run(), "completed");
    double refused = metric("baton_store_archive_refused_total");
    String blob = git.run("rev-parse", "refs/baton/runs/" + trace.run() + ":manifest.json").strip();
    Path work = Files.createTempDirectory("baton-tamper");
    git.run("clone", "-q", git.folder().toString(), work.toString());
    GitCli clone = new GitCli(work);
    clone.run("fetch", "-q", "origin", "refs/baton/runs/" + trace.run());
    clone.run("checkout", "-q", "FETCH_HEAD");
    Path lines = work.resolve("trace.jsonl");
    List<String> all = Files.readAllLines(lines);
    Files.write(lines, all.subList(0, 4));
    clone.run("-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qam", "tampered");
    clone.run("push", "-q", "origin", "HEAD:refs/baton/runs/" + trace.run());
    assertThat(blob).isNotEmpty();

    forget(trace.run());

    client.until(() -> metric("baton_store_archive_refused_total"), now -> now > refused);
    assertThat(client.events(trace.run(), false)).isEmpty();
  }
}
