/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.digest.Digest;
import dev.baton.protocol.grpc.Caller;
import dev.baton.protocol.grpc.ObjectKind;
import dev.baton.protocol.grpc.ObjectRef;
import dev.baton.protocol.grpc.PrepareDownloadRequest;
import dev.baton.protocol.grpc.PrepareUploadRequest;
import dev.baton.protocol.grpc.Upload;
import dev.baton.protocol.trace.RunId;
import dev.baton.store.testing.StoreTest;
import io.grpc.Status;
import io.quarkus.test.junit.QuarkusTest;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

@QuarkusTest
class TransferTest extends StoreTest {
  private final String run = RunId.next();
  private final byte[] bytes = ("output of " + run).getBytes(UTF_8);
  private final ObjectRef blob = ref(Digest.of(bytes), bytes.length, ObjectKind.OBJECT_KIND_BLOB);

  @Test
  void shouldGiveBackWhatWasPut() {
    Upload wanted = upload("one", blob).getFirst();
    assertThat(wanted.getPresent()).isFalse();
    assertThat(wanted.getDigest()).isEqualTo(blob.getDigest());
    assertThat(client.put(wanted, bytes).statusCode()).isEqualTo(200);

    String url = download("one", blob);

    assertThat(client.getUrl(url).body()).isEqualTo(new String(bytes, UTF_8));
    assertThat(upload("one", blob).getFirst().getPresent()).isTrue();
    assertThat(upload("one", blob).getFirst().getPutUrl()).isEmpty();
  }

  @Test
  void shouldKeepProjectsApart() {
    client.put(upload("one", blob).getFirst(), bytes);

    assertThat(upload("two", blob).getFirst().getPresent()).isFalse();
    assertStatus(() -> download("two", blob), Status.Code.NOT_FOUND, blob.getDigest());
  }

  @Test
  void shouldAnswerInTheOrderAsked() {
    List<ObjectRef> many =
        java.util.stream.IntStream.range(0, 20)
            .mapToObj(
                i -> ref(Digest.of((run + i).getBytes(UTF_8)), i, ObjectKind.OBJECT_KIND_BLOB))
            .toList();

    assertThat(upload("", many.toArray(ObjectRef[]::new)))
        .extracting(Upload::getDigest)
        .containsExactlyElementsOf(many.stream().map(ObjectRef::getDigest).toList());
  }

  @Test
  void shouldRefuseOtherBytesThanTheDigests() {
    Upload wanted = upload("one", blob).getFirst();
    byte[] broken = bytes.clone();
    broken[0] ^= 1;

    assertThat(client.put(wanted, broken).statusCode()).isEqualTo(400);
    assertThat(client.put(wanted.getPutUrl(), Map.of(), broken).statusCode())
        .as("without the checksum header")
        .isEqualTo(403);
    String other = Base64.getEncoder().encodeToString(Digest.sha256().digest(broken));
    assertThat(
            client
                .put(wanted.getPutUrl(), Map.of("x-amz-checksum-sha256", other), broken)
                .statusCode())
        .as("with the header of these bytes")
        .isEqualTo(403);
    assertThat(upload("one", blob).getFirst().getPresent()).isFalse();
  }

  @Test
  void shouldSayWhatIsWrong() {
    assertStatus(() -> upload("../x", blob), Status.Code.INVALID_ARGUMENT, "project '../x'");
    assertStatus(
        () -> upload("one", ref("sha1:00", 1, ObjectKind.OBJECT_KIND_BLOB)),
        Status.Code.INVALID_ARGUMENT,
        "sha1:00");
    assertStatus(
        () -> upload("one", ref(blob.getDigest(), 1, ObjectKind.OBJECT_KIND_UNSPECIFIED)),
        Status.Code.INVALID_ARGUMENT,
        "OBJECT_KIND_BLOB");
    ObjectRef[] tooMany = java.util.Collections.nCopies(1001, blob).toArray(ObjectRef[]::new);
    assertStatus(() -> upload("one", tooMany), Status.Code.INVALID_ARGUMENT, "1001 objects");
  }

  private List<Upload> upload(String project, ObjectRef... objects) {
    return client
        .checkpoints()
        .prepareUpload(
            PrepareUploadRequest.newBuilder()
                .setCaller(Caller.newBuilder().setRun(run).setEpoch(1).setProject(project))
                .addAllObjects(List.of(objects))
                .build())
        .getUploadsList();
  }

  private String download(String project, ObjectRef object) {
    return client
        .checkpoints()
        .prepareDownload(
            PrepareDownloadRequest.newBuilder()
                .setCaller(Caller.newBuilder().setRun(run).setEpoch(1).setProject(project))
                .addObjects(object)
                .build())
        .getDownloads(0)
        .getGetUrl();
  }

  private static ObjectRef ref(String digest, long size, ObjectKind kind) {
    return ObjectRef.newBuilder().setDigest(digest).setSizeBytes(size).setKind(kind).build();
  }
}
