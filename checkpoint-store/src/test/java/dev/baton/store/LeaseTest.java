/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.baton.protocol.grpc.Caller;
import dev.baton.protocol.grpc.CommitCheckpointRequest;
import dev.baton.protocol.grpc.FindChunksRequest;
import dev.baton.protocol.grpc.GetSnapshotRequest;
import dev.baton.protocol.grpc.OpenCheckpointRequest;
import dev.baton.protocol.grpc.PrepareDownloadRequest;
import dev.baton.protocol.grpc.PrepareUploadRequest;
import dev.baton.protocol.grpc.RegisterPacksRequest;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.RunId;
import dev.baton.store.testing.LeaseTestProfile;
import dev.baton.store.testing.StoreTest;
import dev.baton.store.testing.TestLeaseSigner;
import dev.baton.store.testing.TraceBuilder;
import io.grpc.Status;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
@TestProfile(LeaseTestProfile.class)
class LeaseTest extends StoreTest {
  private final TestLeaseSigner signer = new TestLeaseSigner();
  private final TraceBuilder trace = new TraceBuilder();
  private final String run = trace.run();

  @BeforeEach
  void publish() {
    System.setProperty(LeaseTestProfile.PUBLISHED, TestLeaseSigner.published(signer));
  }

  @AfterEach
  void takeAway() {
    System.clearProperty(LeaseTestProfile.PUBLISHED);
  }

  @Test
  void shouldStoreOnlyWhatALeaseVouchesFor() {
    String lease = signer.lease(run, 1);
    double before = refused("missing") + refused("bad_signature") + refused("foreign");

    log.send(
        trace.created(),
        trace.assigned(1),
        with(lease, trace.started(1)),
        // The run's next event without a lease, with a forged one, and with those of another run
        // and epoch.
        trace.completed(1, "a", null),
        with(new TestLeaseSigner().forged(signer, run, 1), trace.completed(1, "b", null)),
        with(signer.lease(RunId.next(), 1), trace.completed(1, "c", TraceBuilder.cut("c"))),
        with(lease, trace.completed(2, "d", null)),
        with(new TestLeaseSigner().lease(run, 1), trace.completed(1, "e", null)),
        with(lease, trace.ended(1)));

    assertThat(client.idsUntilEnd(run))
        .containsExactly(run + "/c/1", run + "/c/2", run + "/1/1", run + "/1/6");
    assertThat(client.get("/runs/" + run + "/checkpoints").body()).doesNotContain("sha256");
    for (String reason : new String[] {"missing", "bad_signature", "foreign", "unknown_key"}) {
      assertThat(
              log.find(
                  TopicName.deadLetters(TopicName.TRACE),
                  letter ->
                      run.equals(new String(letter.key(), UTF_8))
                          && new String(letter.headers().lastHeader("baton_reason").value(), UTF_8)
                              .contains("lease refused (" + reason + ")")))
          .as(reason)
          .isNotNull();
    }
    assertThat(refused("missing") + refused("bad_signature") + refused("foreign") - before)
        .isGreaterThanOrEqualTo(4);
  }

  @Test
  void shouldWaitForTheKeysAsLongAsNobodyTellsThem() {
    System.clearProperty(LeaseTestProfile.PUBLISHED);
    String lease = signer.lease(run, 1);
    log.send(trace.created(), trace.assigned(1), with(lease, trace.started(1)));
    log.send(with(lease, trace.ended(1)));
    assertStatus(
        () -> upload(run, 1, lease), Status.Code.UNAVAILABLE, "cannot fetch the lease keys");

    System.setProperty(LeaseTestProfile.PUBLISHED, TestLeaseSigner.published(signer));

    assertThat(client.idsUntilEnd(run)).hasSize(4);
  }

  @Test
  void shouldTakeANewKeyBesideTheOld() {
    log.send(trace.created(), trace.assigned(1), with(signer.lease(run, 1), trace.started(1)));
    assertThat(client.until(() -> client.events(run, false), all -> all.size() == 3)).hasSize(3);
    TestLeaseSigner next = new TestLeaseSigner();
    System.setProperty(LeaseTestProfile.PUBLISHED, TestLeaseSigner.published(signer, next));

    log.send(
        trace.assigned(2),
        with(next.lease(run, 2), trace.started(2)),
        with(signer.lease(run, 2), trace.ended(2)));

    assertThat(client.idsUntilEnd(run)).hasSize(6);
  }

  @Test
  void shouldRefuseEveryCallThatNoLeaseVouchesFor() {
    log.send(trace.created(), trace.assigned(1), trace.assigned(2));
    assertThat(client.until(() -> client.events(run, false), all -> all.size() == 3)).hasSize(3);
    String old = signer.lease(run, 1);
    String current = signer.lease(run, 2);
    Map<String, String> refusals = new LinkedHashMap<>();
    refusals.put("", "lease refused (missing)");
    refusals.put("x.y.z", "lease refused (malformed)");
    refusals.put(new TestLeaseSigner().forged(signer, run, 2), "lease refused (bad_signature)");
    refusals.put(new TestLeaseSigner().lease(run, 2), "lease refused (unknown_key)");
    refusals.put(old, "lease refused (foreign)");
    refusals.put(signer.lease(RunId.next(), 2), "lease refused (foreign)");

    refusals.forEach(
        (lease, words) ->
            calls(2, lease)
                .forEach(
                    (name, call) -> assertStatus(call::run, Status.Code.PERMISSION_DENIED, words)));
    calls(2, signer.lease(run, 2, "other"))
        .forEach(
            (name, call) -> {
              if (!name.equals("snapshot")) { // names no project
                assertStatus(call::run, Status.Code.PERMISSION_DENIED, "for project 'other'");
              }
            });
    calls(1, old)
        .forEach(
            (name, call) -> {
              if (!name.equals("snapshot")) { // an old snapshot may be read
                assertStatus(call::run, Status.Code.PERMISSION_DENIED, "epoch 1 of run");
              }
            });
    for (String writer : new String[] {"upload", "find", "register", "commit"}) {
      assertStatus(
          () -> Objects.requireNonNull(calls(0, "").get(writer)).run(),
          Status.Code.PERMISSION_DENIED,
          "no epoch");
    }
    upload(run, 2, current);
    assertThat(client.checkpoints().findChunks(find(2, current)).getPlacesList()).hasSize(1);
  }

  private FindChunksRequest find(int epoch, String lease) {
    return FindChunksRequest.newBuilder()
        .setCaller(
            Caller.newBuilder().setRun(run).setEpoch(epoch).setLease(lease).setProject("default"))
        .setDigests(ByteString.copyFrom(new byte[32]))
        .build();
  }

  private void upload(String of, int epoch, String lease) {
    client
        .checkpoints()
        .prepareUpload(
            PrepareUploadRequest.newBuilder()
                .setCaller(
                    Caller.newBuilder()
                        .setRun(of)
                        .setEpoch(epoch)
                        .setLease(lease)
                        .setProject("default"))
                .build());
  }

  private Map<String, Runnable> calls(int epoch, String lease) {
    Map<String, Runnable> calls = new LinkedHashMap<>();
    calls.put("upload", () -> upload(run, epoch, lease));
    calls.put("find", () -> client.checkpoints().findChunks(find(epoch, lease)));
    calls.put(
        "register",
        () ->
            client
                .checkpoints()
                .registerPacks(
                    RegisterPacksRequest.newBuilder()
                        .setCaller(
                            Caller.newBuilder()
                                .setRun(run)
                                .setEpoch(epoch)
                                .setLease(lease)
                                .setProject("default"))
                        .build()));
    calls.put(
        "commit",
        () ->
            client
                .checkpoints()
                .commitCheckpoint(
                    CommitCheckpointRequest.newBuilder()
                        .setCaller(
                            Caller.newBuilder()
                                .setRun(run)
                                .setEpoch(epoch)
                                .setLease(lease)
                                .setProject("default"))
                        .build()));
    calls.put(
        "open",
        () ->
            client
                .checkpoints()
                .openCheckpoint(
                    OpenCheckpointRequest.newBuilder()
                        .setCaller(
                            Caller.newBuilder()
                                .setRun(run)
                                .setEpoch(epoch)
                                .setLease(lease)
                                .setProject("default"))
                        .setCheckpoint(run)
                        .build()));
    calls.put(
        "download",
        () ->
            client
                .checkpoints()
                .prepareDownload(
                    PrepareDownloadRequest.newBuilder()
                        .setCaller(
                            Caller.newBuilder()
                                .setRun(run)
                                .setEpoch(epoch)
                                .setLease(lease)
                                .setProject("default"))
                        .build()));
    calls.put(
        "snapshot",
        () ->
            client
                .snapshots()
                .getSnapshot(
                    GetSnapshotRequest.newBuilder()
                        .setCaller(Caller.newBuilder().setRun(run).setEpoch(epoch).setLease(lease))
                        .build()));
    return calls;
  }

  private static ProducerRecord<String, byte[]> with(
      String lease, ProducerRecord<String, byte[]> record) {
    record.headers().add("ce_batonlease", lease.getBytes(UTF_8));
    return record;
  }

  private double refused(String reason) {
    Matcher line =
        Pattern.compile(
                "baton_store_leases_refused_total\\{.*reason=\"" + reason + "\".*\\} (\\S+)")
            .matcher(client.get("/q/metrics").body());
    return line.find() ? Double.parseDouble(line.group(1)) : 0;
  }
}
