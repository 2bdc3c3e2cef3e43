/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.protocol.digest.Digest;
import dev.baton.protocol.grpc.Caller;
import dev.baton.protocol.grpc.DeleteRunRequest;
import dev.baton.protocol.grpc.DeleteRunResponse;
import dev.baton.protocol.grpc.Finding;
import dev.baton.protocol.grpc.GetCheckpointRequest;
import dev.baton.protocol.grpc.ListCheckpointsRequest;
import dev.baton.protocol.grpc.ObjectKind;
import dev.baton.protocol.grpc.ObjectRef;
import dev.baton.protocol.grpc.PinCheckpointRequest;
import dev.baton.protocol.grpc.PrepareUploadRequest;
import dev.baton.protocol.grpc.ProjectFilter;
import dev.baton.protocol.grpc.ReindexReport;
import dev.baton.protocol.grpc.ReindexRequest;
import dev.baton.protocol.grpc.RetentionReport;
import dev.baton.protocol.grpc.RunRetentionRequest;
import dev.baton.protocol.grpc.ScrubRequest;
import dev.baton.protocol.grpc.StoredCheckpoint;
import dev.baton.protocol.grpc.Upload;
import dev.baton.protocol.grpc.VerifyCheckpointRequest;
import dev.baton.protocol.grpc.VerifyCheckpointResponse;
import dev.baton.protocol.manifest.CheckpointTrigger;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.manifest.ManifestCodec;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.Failure;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.snapshot.Pack;
import dev.baton.snapshot.format.Hash;
import dev.baton.store.objects.BucketClient;
import dev.baton.store.objects.CheckpointName;
import dev.baton.store.objects.ManifestCompressor;
import dev.baton.store.packs.PackRepository;
import dev.baton.store.testing.CheckpointUploader;
import dev.baton.store.testing.ManifestVariant;
import dev.baton.store.testing.PackedTestTree;
import dev.baton.store.testing.StoreTest;
import dev.baton.store.testing.TraceBuilder;
import io.grpc.Status;
import io.minio.messages.Item;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

@QuarkusTest
class MaintenanceTest extends StoreTest {
  @Inject Pool pool;
  @Inject BucketClient bucket;

  private final TraceBuilder trace = new TraceBuilder();
  private final String run = trace.run();
  private final PackedTestTree tree =
      PackedTestTree.of(
          Map.of(
              "a", ("first " + run).getBytes(StandardCharsets.UTF_8),
              "b", ("second " + run).getBytes(StandardCharsets.UTF_8)));

  @Test
  void shouldVerifyWhatWasCommitted() {
    String id = runner("default").checkpoint(tree, CheckpointTrigger.STEP, Instant.now());

    StoredCheckpoint verified =
        client.until(() -> get(id), found -> found.getVerification().equals("verified"));

    assertThat(verified.getProblem()).isEmpty();
    assertThat(verified.getVerifiedAtMicros()).isPositive();
    CheckpointUploader other = new CheckpointUploader(client, RunId.next(), "default", 1);
    assertThat(other.find(tree.chunks()).getPlacesList())
        .as("others see a pack once it is verified")
        .containsOnly(1);
    assertThat(other.prepare(tree.packs().getFirst()).getPresent()).isTrue();
  }

  @Test
  void shouldFindNoCheckpointOfAProjectThatIsNotVisible() {
    String id = runner("default").checkpoint(tree, CheckpointTrigger.STEP, Instant.now());
    GetCheckpointRequest.Builder request =
        GetCheckpointRequest.newBuilder().setId(id).setWithoutManifest(true);
    request.setVisible(visible("other", "default"));

    assertThat(client.checkpoints().getCheckpoint(request.build()).getManifest()).isEmpty();
    for (ProjectFilter visible : List.of(visible("other"), visible())) {
      request.setVisible(visible);
      assertThatThrownBy(() -> client.checkpoints().getCheckpoint(request.build()))
          .hasMessageContaining("NOT_FOUND")
          .hasMessageContaining("checkpoint '" + id + "' does not exist");
    }
  }

  private static ProjectFilter visible(String... projects) {
    return ProjectFilter.newBuilder().addAllProjects(List.of(projects)).build();
  }

  @Test
  void shouldBelieveChunksOfOwnUnverifiedPacksOnly() {
    CheckpointUploader owner = runner("default");
    Pack pack = tree.packs().getFirst();
    Hash foreign = Hash.of(("not in the pack of " + run).getBytes(StandardCharsets.UTF_8));
    CheckpointUploader other = new CheckpointUploader(client, RunId.next(), "default", 1);
    owner.put(pack);
    owner.register(tree.packs());

    other.register(pack, foreign);
    assertThat(owner.find(List.of(foreign)).getPlacesList())
        .as("another run adds chunks to this run's pack")
        .containsExactly(0);

    String id = owner.checkpoint(tree, CheckpointTrigger.STEP, Instant.now());
    client.until(() -> get(id), found -> found.getVerification().equals("verified"));
    other.register(pack, foreign);
    owner.register(pack, foreign);
    assertThat(other.find(List.of(foreign)).getPlacesList())
        .as("chunks are added to a verified pack")
        .containsExactly(0);
    assertThat(other.find(tree.chunks()).getPlacesList()).containsOnly(1);
  }

  @Test
  void shouldFindTheChunksOfPacksThatWereToldManyAtATimeOnceTheyAreVerified() {
    Map<String, byte[]> files = new HashMap<>();
    for (int i = 0; i < 5_000; i++) {
      files.put("file-" + i, ("%d of %s".formatted(i, run)).getBytes(StandardCharsets.UTF_8));
    }
    PackedTestTree many = PackedTestTree.of(files);
    CheckpointUploader runner = runner("default");

    String id = runner.checkpoint(many, CheckpointTrigger.STEP, Instant.now());

    client.until(() -> get(id), found -> found.getVerification().equals("verified"));
    assertThat(runner.find(many.chunks()).getPlacesList())
        .hasSizeGreaterThan(files.size())
        .doesNotContain(0);
  }

  @Test
  void shouldFindAFlippedBitAndNameWhatItHurts() {
    CheckpointUploader runner = runner("default");
    String first = runner.checkpoint(tree, CheckpointTrigger.STEP, Instant.now());
    String second = runner.checkpoint(tree, CheckpointTrigger.STEP, Instant.now());
    assertThat(verify(first).getVerified()).isTrue();
    Pack pack = tree.packs().getFirst();
    flip(pack);

    List<Finding> findings =
        client.maintenance().scrub(ScrubRequest.getDefaultInstance()).getFindingsList();

    assertThat(findings).hasSize(1);
    assertThat(findings.getFirst().getPack()).isEqualTo(pack.ref().id().toString());
    assertThat(findings.getFirst().getWhat()).contains("its object has digest");
    assertThat(findings.getFirst().getCheckpointsList()).containsExactlyInAnyOrder(first, second);
    assertThat(findings.getFirst().getRunsList()).containsExactly(run);
    assertThat(get(second).getVerification()).isEqualTo("corrupt");
    assertThat(get(second).getProblem()).contains(pack.ref().id().toString());
    assertThat(runner.find(tree.chunks()).getPlacesList()).containsOnly(0);
    Manifest third = tree.manifest(run, 1, CheckpointTrigger.STEP, Instant.now());
    runner.commit(third, List.of());
    assertThat(get(third.id()).getProblem()).contains(pack.ref().id().toString());

    runner.put(pack);
    runner.register(tree.packs());
    assertThat(verify(first).getVerified()).as("a new upload of the bytes repairs it").isTrue();
    client.until(() -> get(second), found -> found.getVerification().equals("verified"));
    client.until(() -> get(third.id()), found -> found.getVerification().equals("verified"));
  }

  @Test
  void shouldNameAChunkThatIsMissing() {
    CheckpointUploader runner = runner("default");
    PackedTestTree other = PackedTestTree.with("other " + run);
    other.packs().forEach(runner::put);
    PackedTestTree wrong = new PackedTestTree(tree.root(), other.packs(), 1, 1);
    Manifest manifest = wrong.manifest(run, 1, CheckpointTrigger.STEP, Instant.now());
    runner.commit(manifest, other.packs());

    VerifyCheckpointResponse verified = verify(manifest.id());

    assertThat(verified.getVerified()).isFalse();
    assertThat(verified.getFindings(0).getWhat())
        .contains(tree.root().toString(), "is in none of the checkpoint's packs");
    // The verification of its pack, in the background, may repeat that of the checkpoint.
    client.until(() -> get(manifest.id()), found -> found.getVerification().equals("corrupt"));
  }

  @Test
  void shouldFindAPackThatHasGoneWhenAnotherCheckpointNeedsIt() {
    String first = runner("default").checkpoint(tree, CheckpointTrigger.STEP, Instant.now());
    client.until(() -> get(first), each -> each.getVerification().equals("verified"));
    Pack pack = tree.packs().getFirst();
    bucket
        .remove(PackRepository.key("default", pack.ref().id()))
        .await()
        .atMost(Duration.ofSeconds(10));
    String fork = RunId.next();
    Manifest manifest = tree.manifest(fork, 1, CheckpointTrigger.STEP, Instant.now());

    new CheckpointUploader(client, fork, "default", 1).commit(manifest, List.of());

    StoredCheckpoint found =
        client.until(() -> get(manifest.id()), each -> each.getVerification().equals("corrupt"));
    assertThat(found.getProblem()).contains(pack.ref().id().toString(), "is not there");
    assertThat(get(first).getVerification()).isEqualTo("corrupt");
  }

  @Test
  void shouldListPagesNewestFirst() {
    CheckpointUploader runner = runner("pages");
    List<String> made = checkpoints(runner, 5);

    List<String> listed = new ArrayList<>();
    String cursor = "";
    do {
      var page =
          client
              .checkpoints()
              .listCheckpoints(
                  ListCheckpointsRequest.newBuilder()
                      .setProject("pages")
                      .setLimit(2)
                      .setCursor(cursor)
                      .build());
      page.getCheckpointsList().forEach(each -> listed.add(each.getId()));
      cursor = page.getNextCursor();
    } while (!cursor.isEmpty());

    assertThat(listed).containsExactlyElementsOf(made.reversed());
  }

  /** BucketClient may complete on another thread, before the caller subscribes. */
  @Test
  void shouldPinAndUnpinWhateverThreadTheObjectStoreAnswersOn() throws Exception {
    List<String> made = checkpoints(runner("default"), 4);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> all = new ArrayList<>();
      for (String id : made) {
        all.add(
            threads.submit(
                () -> {
                  for (int i = 0; i < 200; i++) {
                    pin(id, i % 2 == 0);
                  }
                }));
      }
      for (Future<?> each : all) {
        each.get(60, TimeUnit.SECONDS);
      }
    }
  }

  @Test
  void shouldKeepWhatIsPinnedOrNeeded() {
    CheckpointUploader runner = runner("default");
    List<String> made = checkpoints(runner, 15);
    pin(made.get(0), true);
    log.send(trace.created(), trace.assigned(1), trace.started(1));
    made.stream().filter(id -> !id.equals(made.get(2))).forEach(id -> log.send(saved(id)));
    log.send(trace.completed(1, "build", cut(made.get(2))));
    client.snapshot(run, 1);
    client.until(() -> client.events(run, false).size(), size -> size == 3 + made.size());

    RetentionReport dry = retention(true);
    RetentionReport report = retention(false);

    assertThat(dry.getDeletedList()).containsExactlyElementsOf(report.getDeletedList());
    assertThat(report.getDeletedList())
        .containsExactlyInAnyOrder(made.get(1), made.get(3), made.get(4));
    assertThat(report.getProtectedOnes()).isEqualTo(2);
    assertStatus(() -> get(made.get(3)), Status.Code.NOT_FOUND, made.get(3));
    assertStatus(() -> runner.open(made.get(3)), Status.Code.NOT_FOUND, made.get(3));
    assertThat(get(made.get(0)).getPinReason()).isEqualTo("for the record");

    pin(made.get(0), false);
    log.send(trace.ended(1));
    client.idsUntilEnd(run);
    assertThat(retention(false).getDeletedList())
        .containsExactlyInAnyOrder(made.get(0), made.get(2));
  }

  @Test
  void shouldKeepCheckpointsWhoseEventsAreNotStoredYet() {
    List<String> made = checkpoints(runner("default"), 15);
    assertThat(retention(false).getDeletedList()).as("the run is unknown").isEmpty();
    log.send(trace.created(), trace.assigned(1), trace.started(1));
    client.until(() -> client.events(run, false).size(), size -> size == 3);

    assertThat(retention(false).getDeletedList()).as("the consumer is behind").isEmpty();

    made.forEach(id -> log.send(saved(id)));
    client.until(() -> client.events(run, false).size(), size -> size == 3 + made.size());
    assertThat(retention(false).getDeletedList())
        .containsExactlyInAnyOrderElementsOf(made.subList(0, 5));
  }

  private Cut cut(String checkpoint) {
    return new Cut(tree.root().toString(), "baton-tree-2", 1, 1, 1, checkpoint);
  }

  private ProducerRecord<String, byte[]> saved(String checkpoint) {
    return trace.saved(1, checkpoint, cut(checkpoint));
  }

  @Test
  void shouldKeepWhatAFailedRunIsResumedFrom() {
    List<String> made = checkpoints(runner("default"), 15);
    Cut cut = new Cut(tree.root().toString(), "baton-tree-2", 1, 1, 1, made.get(2));
    log.send(
        trace.created(),
        trace.assigned(1),
        trace.started(1),
        trace.completed(1, "build", cut),
        trace.runner(1, new TraceEvent.RunFailed("test", Failure.of("exit_code", "1"))));
    client.idsUntilEnd(run);

    assertThat(retention(false).getDeletedList())
        .containsExactlyInAnyOrder(made.get(0), made.get(1), made.get(3), made.get(4));

    assertThat(delete(true).getLeft())
        .isEqualTo(dev.baton.protocol.grpc.RunCounts.getDefaultInstance());
  }

  @Test
  void shouldEraseARunAndProveIt() {
    CheckpointUploader runner = runner("erase");
    List<String> made = checkpoints(runner, 3);
    byte[] bytes = ("log of " + run).getBytes(StandardCharsets.UTF_8);
    String mine = blob(run, bytes);
    String ours = blob(run, "shared".getBytes(StandardCharsets.UTF_8));
    blob(RunId.next(), "shared".getBytes(StandardCharsets.UTF_8));
    log.send(trace.created(), trace.assigned(1), trace.started(1));
    client.snapshot(run, 1);
    assertStatus(() -> delete(true), Status.Code.FAILED_PRECONDITION, "run_alive");
    log.send(trace.completed(1, "build", TraceBuilder.cut(run)), trace.ended(1));
    client.idsUntilEnd(run);
    pin(made.get(1), true);
    assertStatus(
        () -> delete(false), Status.Code.FAILED_PRECONDITION, "pinned: checkpoint " + made.get(1));

    DeleteRunResponse proof = delete(true);

    assertThat(proof.getDeleted().getEvents()).isEqualTo(5);
    assertThat(proof.getDeleted().getCuts()).isEqualTo(1);
    assertThat(proof.getDeleted().getCheckpoints()).isEqualTo(3);
    assertThat(proof.getDeleted().getManifests()).as("a pin counts with its own").isEqualTo(3);
    assertThat(proof.getDeleted().getBlobs()).isEqualTo(1);
    assertThat(proof.getDeleted().getPacks() + proof.getPacksWaiting())
        .isEqualTo(tree.packs().size());
    assertThat(proof.getLeft()).isEqualTo(dev.baton.protocol.grpc.RunCounts.getDefaultInstance());
    assertThat(client.get("/runs/" + run + "/events").body()).doesNotContain("step_completed");
    assertThat(upload(RunId.next(), mine, bytes.length).getPresent()).isFalse();
    assertThat(upload(RunId.next(), ours, 6).getPresent()).isTrue();
  }

  @Test
  void shouldComeBackFromTheObjectsAlone() {
    String project = "lost-" + run.substring(20).toLowerCase(Locale.ROOT);
    CheckpointUploader runner = runner(project);
    List<String> made = checkpoints(runner, 3);
    pin(made.get(1), true);
    byte[] manifest = runner.open(made.get(0)).getManifest().toByteArray();
    forget(project);
    assertStatus(() -> runner.open(made.get(0)), Status.Code.NOT_FOUND, made.get(0));

    ReindexReport report = reindex(project);

    assertThat(report.getProblemsList()).isEmpty();
    assertThat(report.getCheckpoints()).isEqualTo(3);
    assertThat(report.getPacks()).isEqualTo(tree.packs().size());
    assertThat(report.getChunks()).isEqualTo(tree.chunks().size());
    assertThat(runner.open(made.get(0)).getManifest().toByteArray()).isEqualTo(manifest);
    assertThat(verify(made.get(0)).getVerified()).isTrue();
    assertThat(get(made.get(1)).getPinReason()).isEqualTo("for the record");
    assertThat(runner.find(tree.chunks()).getPlacesList()).containsOnly(1);
    assertThat(reindex(project)).isEqualTo(ReindexReport.getDefaultInstance());
  }

  /** The request of an attempt that was given up may reach the object store at any time. */
  @Test
  void shouldComeBackWithTheCommittedManifestThoughAnotherArrivesLate() {
    String project = "late-" + run.substring(20).toLowerCase(Locale.ROOT);
    CheckpointUploader runner = runner(project);
    tree.packs().forEach(runner::put);
    Manifest manifest =
        tree.manifest(run, project, "flow", 1, CheckpointTrigger.STEP, Instant.now());
    byte[] committed = ManifestCodec.write(manifest);
    runner.commit(committed, tree.packs());
    byte[] late = ManifestVariant.write(manifest.id(), manifest);

    // As the version before named it.
    put("%s/checkpoints/%s/%s.json".formatted(project, run, manifest.id()), late);
    forget(project);
    reindex(project);

    assertThat(runner.open(manifest.id()).getManifest().toStringUtf8())
        .isEqualTo(new String(committed, StandardCharsets.UTF_8));
  }

  @Test
  void shouldReadManifestsThatTheVersionBeforeHasWritten() {
    String project = "former-" + run.substring(20).toLowerCase(Locale.ROOT);
    CheckpointUploader runner = runner(project);
    tree.packs().forEach(runner::put);
    Manifest manifest =
        tree.manifest(run, project, "flow", 1, CheckpointTrigger.STEP, Instant.now());
    byte[] committed = ManifestCodec.write(manifest);
    runner.commit(committed, tree.packs());
    CheckpointName name = new CheckpointName(project, run, manifest.id());
    put(name.formerManifestKey(), committed);
    bucket.remove(name.manifestKey(committed)).await().atMost(Duration.ofSeconds(10));
    forget(project);

    assertThat(reindex(project).getCheckpoints()).isEqualTo(1);

    assertThat(runner.open(manifest.id()).getManifest().toByteArray()).isEqualTo(committed);
    pool.preparedQuery("UPDATE store.checkpoint SET deleting = true WHERE id = $1")
        .execute(Tuple.of(manifest.id()))
        .await()
        .atMost(Duration.ofSeconds(10));
    retention(false);
    assertThat(objectsOf(project, manifest.id())).as("all of them are deleted").isEmpty();
  }

  @Test
  void shouldHoldTheCommittedManifestWhileOthersAreRefused() throws Exception {
    CheckpointUploader runner = runner("default");
    tree.packs().forEach(runner::put);
    PackedTestTree gone = PackedTestTree.with("never uploaded, " + run);
    for (int i = 0; i < 20; i++) {
      Manifest manifest = tree.manifest(run, 1, CheckpointTrigger.STEP, Instant.now());
      byte[] refused =
          ManifestVariant.write(
              manifest.id(), gone.manifest(run, 1, CheckpointTrigger.STEP, Instant.now()));
      try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
        Future<?> other =
            threads.submit(
                () ->
                    assertThatThrownBy(() -> runner.commit(refused, List.of()))
                        .hasMessageMatching("(?s).*(packs_gone|another manifest).*"));
        Future<?> commit = threads.submit(() -> runner.commit(manifest, tree.packs()));
        commit.get(30, TimeUnit.SECONDS);
        other.get(30, TimeUnit.SECONDS);
      }

      assertThat(objectsOf("default", manifest.id()))
          .as("objects of checkpoint %d", i)
          .containsExactly(new String(ManifestCodec.write(manifest), StandardCharsets.UTF_8));
    }
  }

  /** The contents of all manifests in the bucket with this checkpoint's id. */
  private List<String> objectsOf(String project, String id) {
    List<String> contents = new ArrayList<>();
    for (Item item : bucket.list("%s/checkpoints/%s/%s.".formatted(project, run, id))) {
      try (InputStream in = bucket.open(item.objectName(), 0, null)) {
        contents.add(new String(ManifestCompressor.read(in), StandardCharsets.UTF_8));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return contents;
  }

  private void put(String key, byte[] bytes) {
    bucket.put(key, bytes).await().atMost(Duration.ofSeconds(10));
  }

  private void forget(String project) {
    for (String statement :
        List.of(
            "DELETE FROM store.checkpoint_pack WHERE checkpoint IN (SELECT number FROM store.checkpoint WHERE project = $1)",
            "DELETE FROM store.checkpoint WHERE project = $1",
            "DELETE FROM store.chunk WHERE project = (SELECT id FROM store.project WHERE name = $1)",
            "DELETE FROM store.pack WHERE project = (SELECT id FROM store.project WHERE name = $1)")) {
      pool.preparedQuery(statement)
          .execute(Tuple.of(project))
          .await()
          .atMost(Duration.ofSeconds(10));
    }
  }

  private ReindexReport reindex(String project) {
    return client.maintenance().reindex(ReindexRequest.newBuilder().setProject(project).build());
  }

  private List<String> checkpoints(CheckpointUploader runner, int count) {
    List<String> made = new ArrayList<>();
    Instant start = Instant.now().minus(Duration.ofHours(1));
    for (int i = 0; i < count; i++) {
      made.add(runner.checkpoint(tree, CheckpointTrigger.STEP, start.plusSeconds(i)));
    }
    return made;
  }

  private void pin(String id, boolean pinned) {
    client
        .checkpoints()
        .pinCheckpoint(
            PinCheckpointRequest.newBuilder()
                .setId(id)
                .setPinned(pinned)
                .setBy("someone")
                .setReason("for the record")
                .build());
  }

  private RetentionReport retention(boolean dryRun) {
    return client
        .maintenance()
        .runRetention(RunRetentionRequest.newBuilder().setRun(run).setDryRun(dryRun).build());
  }

  private DeleteRunResponse delete(boolean force) {
    return client
        .maintenance()
        .deleteRun(DeleteRunRequest.newBuilder().setRun(run).setNow(true).setForce(force).build());
  }

  private StoredCheckpoint get(String id) {
    return client
        .checkpoints()
        .getCheckpoint(GetCheckpointRequest.newBuilder().setId(id).build())
        .getCheckpoint();
  }

  private VerifyCheckpointResponse verify(String id) {
    return client
        .checkpoints()
        .verifyCheckpoint(VerifyCheckpointRequest.newBuilder().setId(id).build());
  }

  private CheckpointUploader runner(String project) {
    return new CheckpointUploader(client, run, project, 1);
  }

  /** Stores a blob and returns its digest. */
  private String blob(String of, byte[] bytes) {
    String digest = Digest.of(bytes);
    Upload upload = upload(of, digest, bytes.length);
    if (!upload.getPresent()) {
      assertThat(client.put(upload, bytes).statusCode()).isEqualTo(200);
    }
    return digest;
  }

  private Upload upload(String of, String digest, int size) {
    return client
        .checkpoints()
        .prepareUpload(
            PrepareUploadRequest.newBuilder()
                .setCaller(Caller.newBuilder().setRun(of).setProject("erase"))
                .addObjects(
                    ObjectRef.newBuilder()
                        .setDigest(digest)
                        .setSizeBytes(size)
                        .setKind(ObjectKind.OBJECT_KIND_BLOB))
                .build())
        .getUploads(0);
  }

  private void flip(Pack pack) {
    byte[] bytes = Arrays.copyOf(pack.bytes(), pack.length());
    bytes[10] ^= 4;
    bucket
        .put(PackRepository.key("default", pack.ref().id()), bytes)
        .await()
        .atMost(Duration.ofSeconds(10));
  }
}
