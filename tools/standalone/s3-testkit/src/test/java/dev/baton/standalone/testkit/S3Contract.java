/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.baton.standalone.S3Access;
import io.minio.errors.ErrorResponseException;
import io.minio.http.Method;
import io.minio.messages.Item;
import java.net.URI;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Baton's requirements for the S3 configured by {@code baton.object-store.*}. */
abstract class S3Contract {
  private static final String CHECKSUM = "x-amz-checksum-sha256";
  private static final Duration EXPIRED_WITHIN = Duration.ofSeconds(15);

  private final long seed = new Random().nextLong();
  private final Random random = new Random(seed);
  private final byte[] bytes = random(100_000);
  private final byte[] others = random(100_000);

  /** Prefix of this test's keys, with characters that must be escaped in URLs. */
  private final String prefix = "contract " + UUID.randomUUID() + "/+a=b&ü/";

  @SuppressWarnings("NullAway.Init")
  private S3Client client;

  /** Returns the access data of the implementation. */
  abstract S3Access access() throws Exception;

  /** Whether it refuses requests with an invalid or expired signature. */
  abstract boolean checksSignatures();

  /** Whether it refuses bytes that do not match the request's checksum. */
  boolean checksChecksums() {
    return true;
  }

  /** Whether it refuses to replace an object when the request forbids it. */
  boolean knowsIfNoneMatch() {
    return true;
  }

  /** Maximum number of objects in a page of a list. */
  int pageSize() {
    return 1_000;
  }

  @BeforeEach
  void connect() throws Exception {
    client = new S3Client(access(), access().secretKey());
    client.ensureBucket();
  }

  @AfterEach
  void removeAll() throws Exception {
    client.remove(client.list(prefix, "", pageSize()).stream().map(Item::objectName).toList());
    client.close();
  }

  @Test
  void shouldTellWhetherThereIsABucket() throws Exception {
    S3Access access = access();
    S3Access other =
        new S3Access(
            access.endpoint(),
            access.accessKey(),
            access.secretKey(),
            "absent-" + UUID.randomUUID(),
            access.region());
    assertThat(client.bucketExists()).isTrue();
    try (S3Client stranger = new S3Client(other, access.secretKey())) {
      assertThat(stranger.bucketExists()).isFalse();
    }
  }

  @Test
  void shouldTakeTheBytesOfTheSignedChecksum() throws Exception {
    Map<String, String> checksum = Map.of(CHECKSUM, sha256(bytes));
    URI url = client.presign(Method.PUT, key("pack"), checksum, S3Client.LIFE_SECONDS);

    assertThat(client.put(url, checksum, bytes).statusCode()).isEqualTo(200);
    assertThat(client.put(url, checksum, bytes).statusCode()).as("once more").isEqualTo(200);

    assertThat(client.get(key("pack"))).as("seed %d", seed).isEqualTo(bytes);
  }

  @Test
  void shouldRefuseOtherBytesThanTheSignedChecksums() throws Exception {
    assumeTrue(checksChecksums());
    Map<String, String> checksum = Map.of(CHECKSUM, sha256(bytes));
    URI url = client.presign(Method.PUT, key("pack"), checksum, S3Client.LIFE_SECONDS);

    assertThat(client.put(url, checksum, others).statusCode()).isEqualTo(400);
    assertAbsent(key("pack"));

    client.put(url, checksum, bytes);
    assertThat(client.put(url, checksum, others).statusCode()).isEqualTo(400);
    assertThat(client.get(key("pack"))).as("seed %d", seed).isEqualTo(bytes);
  }

  @Test
  void shouldRefuseAnotherChecksumThanTheSignedOne() throws Exception {
    assumeTrue(checksSignatures());
    Map<String, String> checksum = Map.of(CHECKSUM, sha256(bytes));
    URI url = client.presign(Method.PUT, key("pack"), checksum, S3Client.LIFE_SECONDS);

    assertThat(client.put(url, Map.of(CHECKSUM, sha256(others)), others).statusCode())
        .isEqualTo(403);
    assertThat(client.put(url, Map.of(), others).statusCode()).isEqualTo(403);
    assertAbsent(key("pack"));
  }

  @Test
  void shouldGiveARangeByAPresignedUrl() throws Exception {
    client.put(key("pack"), bytes);
    URI url = client.presign(Method.GET, key("pack"), Map.of(), S3Client.LIFE_SECONDS);

    for (int[] range : new int[][] {{0, 1}, {5_000, 70_000}, {99_956, 100_000}}) {
      String asked = "bytes=" + range[0] + "-" + (range[1] - 1);
      var part = client.get(url, Map.of("Range", asked));

      assertThat(part.statusCode()).as(asked).isEqualTo(206);
      assertThat(part.headers().firstValue("Content-Range"))
          .contains("bytes " + range[0] + "-" + (range[1] - 1) + "/100000");
      assertThat(part.body())
          .as("%s, seed %d", asked, seed)
          .isEqualTo(Arrays.copyOfRange(bytes, range[0], range[1]));
    }
    assertThat(client.get(url, Map.of()).body()).isEqualTo(bytes);
    assertThat(client.get(key("pack"), 10, 20)).isEqualTo(Arrays.copyOfRange(bytes, 10, 30));
  }

  @Test
  void shouldTellTheSizeAndThatThereIsNone() throws Exception {
    client.put(key("object"), bytes);
    client.put(key("empty"), new byte[0]);

    assertThat(client.size(key("object"))).isEqualTo(bytes.length);
    assertThat(client.size(key("empty"))).isZero();
    assertAbsent(key("other"));
    URI url = client.presign(Method.GET, key("other"), Map.of(), S3Client.LIFE_SECONDS);
    assertThat(client.get(url, Map.of()).statusCode()).isEqualTo(404);
  }

  @Test
  void shouldReplaceAnObject() throws Exception {
    client.put(key("object"), bytes);

    client.put(key("object"), new byte[] {7});

    assertThat(client.get(key("object"))).containsExactly(7);
  }

  @Test
  void shouldListMoreThanOnePageInOrder() throws Exception {
    int page = pageSize();
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < page + page / 10; i++) {
      keys.add(key("many/%04d".formatted(i)));
    }
    inParallel(keys, key -> client.put(key, key.getBytes(UTF_8)));
    client.put(key("manyother"), bytes);

    List<Item> listed = client.list(key("many/"), "", page);

    assertThat(listed).extracting(Item::objectName).containsExactlyElementsOf(keys);
    assertThat(listed.getFirst().size()).isEqualTo(keys.getFirst().getBytes(UTF_8).length);
    assertThat(client.list(key("many/"), keys.get(page + 1), page))
        .extracting(Item::objectName)
        .containsExactlyElementsOf(keys.subList(page + 2, keys.size()));

    client.remove(keys);
    assertThat(client.list(prefix, "", page))
        .extracting(Item::objectName)
        .containsExactly(key("manyother"));
  }

  @Test
  void shouldRemoveWhatIsThereAndWhatIsNot() throws Exception {
    client.put(key("object"), bytes);

    client.remove(key("object"));
    client.remove(key("object"));

    assertAbsent(key("object"));
  }

  @Test
  void shouldTakeALargeObjectInParts() throws Exception {
    byte[] large = random(20 << 20);

    client.putInParts(key("large"), large, 8 << 20);

    assertThat(client.size(key("large"))).isEqualTo(large.length);
    assertThat(Arrays.equals(client.get(key("large")), large)).as("seed %d", seed).isTrue();
    assertThat(client.get(key("large"), (8 << 20) - 3, 6))
        .isEqualTo(Arrays.copyOfRange(large, (8 << 20) - 3, (8 << 20) + 3));
  }

  @Test
  void shouldNotReplaceWhereTheRequestSaysSo() throws Exception {
    assumeTrue(knowsIfNoneMatch());
    Map<String, String> unlessThere = Map.of("If-None-Match", "*");
    URI url = client.presign(Method.PUT, key("first"), unlessThere, S3Client.LIFE_SECONDS);

    assertThat(client.put(url, unlessThere, bytes).statusCode()).isEqualTo(200);
    assertThat(client.put(url, unlessThere, others).statusCode()).isEqualTo(412);

    assertThat(client.get(key("first"))).isEqualTo(bytes);
  }

  @Test
  void shouldRefuseAnExpiredUrl() throws Exception {
    assumeTrue(checksSignatures());
    client.put(key("object"), bytes);
    URI url = client.presign(Method.GET, key("object"), Map.of(), 1);

    long end = System.nanoTime() + EXPIRED_WITHIN.toNanos();
    int status = client.get(url, Map.of()).statusCode();
    while (status == 200 && System.nanoTime() < end) {
      TimeUnit.MILLISECONDS.sleep(200);
      status = client.get(url, Map.of()).statusCode();
    }

    assertThat(status).isEqualTo(403);
  }

  @Test
  void shouldRefuseAnotherSecret() throws Exception {
    assumeTrue(checksSignatures());
    client.put(key("object"), bytes);
    try (S3Client stranger = new S3Client(access(), "a-guessed-secret-key")) {
      URI get = stranger.presign(Method.GET, key("object"), Map.of(), S3Client.LIFE_SECONDS);
      assertThat(stranger.get(get, Map.of()).statusCode()).isEqualTo(403);
      assertThatThrownBy(() -> stranger.put(key("object"), others))
          .isInstanceOf(ErrorResponseException.class);
      URI put = client.presign(Method.PUT, key("object"), Map.of(), S3Client.LIFE_SECONDS);
      URI elsewhere = URI.create(put.toString().replace("/object?", "/other?"));
      assertThat(client.put(elsewhere, Map.of(), others).statusCode())
          .as("an URL for another key")
          .isEqualTo(403);
      assertThat(client.get(put, Map.of()).statusCode()).as("another method").isEqualTo(403);
    }
    assertThat(client.get(key("object"))).isEqualTo(bytes);
  }

  private String key(String name) {
    return prefix + name;
  }

  private void assertAbsent(String key) {
    assertThatThrownBy(() -> client.size(key))
        .isInstanceOfSatisfying(
            ErrorResponseException.class, e -> assertThat(e.response().code()).isEqualTo(404));
  }

  private interface Work {
    void on(String key) throws Exception;
  }

  private static void inParallel(List<String> keys, Work work) throws Exception {
    try (ExecutorService pool = Executors.newFixedThreadPool(8)) {
      List<Future<?>> all = new ArrayList<>();
      for (String key : keys) {
        all.add(
            pool.submit(
                () -> {
                  work.on(key);
                  return key;
                }));
      }
      for (Future<?> each : all) {
        each.get();
      }
    }
  }

  private byte[] random(int length) {
    byte[] some = new byte[length];
    random.nextBytes(some);
    return some;
  }

  private static String sha256(byte[] some) throws Exception {
    return Base64.getEncoder().encodeToString(MessageDigest.getInstance("SHA-256").digest(some));
  }
}
