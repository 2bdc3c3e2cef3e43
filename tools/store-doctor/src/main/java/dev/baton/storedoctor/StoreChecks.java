/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.storedoctor;

import static dev.baton.storedoctor.CheckFailedException.unless;
import static dev.baton.storedoctor.CheckFailedException.unlessStatus;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.baton.storedoctor.StoreCheck.Need;
import io.minio.errors.ErrorResponseException;
import io.minio.http.Method;
import io.minio.messages.Item;
import java.net.URI;
import java.net.http.HttpResponse;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
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

/**
 * What Baton needs of an S3 server: the requests of the checkpoint-store with its credentials, and
 * those of runners with presigned URLs. For one run of all checks. Thread-safe.
 */
public final class StoreChecks {
  private static final String CHECKSUM = "x-amz-checksum-sha256";
  private static final Duration EXPIRED_WITHIN = Duration.ofSeconds(15);

  /** Half of the life that a presigned URL must have at least. */
  private static final Duration MOST_CLOCK_DIFFERENCE = Duration.ofMinutes(5);

  private static final int PART_BYTES = 8 << 20;
  private static final String GUESSED = "a-guessed-secret-key";

  private final byte[] bytes;
  private final byte[] others;
  private final byte[] large;
  private final int page;

  /**
   * @param seed of the bytes of objects
   * @param page maximum number of objects in a page of a list, 1 to 1,000; some more than that are
   *     created
   */
  public StoreChecks(long seed, int page) {
    Random random = new Random(seed);
    bytes = random(random, 100_000);
    others = random(random, 100_000);
    large = random(random, 20 << 20);
    this.page = page;
  }

  /** Returns all checks, the basic ones first. */
  public List<StoreCheck> all() {
    return List.of(
        required("bucket", "the checkpoint-store cannot create its bucket", this::bucket),
        required("put-and-get", "no checkpoint can be stored", this::putAndGet),
        required("replace", "manifests cannot be updated", this::replace),
        required("empty-object", "empty files cannot be stored", this::emptyObject),
        required("size", "packs cannot be verified", this::size),
        required("absent", "a lost pack looks like an outage", this::absent),
        required("range", "files cannot be restored from packs", this::range),
        required("parts", "packs above 8 MiB cannot be stored", this::parts),
        required("remove", "retention cannot free space", this::remove),
        required("remove-absent", "an interrupted removal cannot be repeated", this::removeAbsent),
        required("remove-many", "retention cannot free space", this::removeMany),
        required("list-pages", "garbage collection misses packs", this::listPages),
        required("list-after", "garbage collection cannot be continued", this::listAfter),
        required("list-prefix", "one run's packs are mixed with those of others", this::listPrefix),
        required("clock", "presigned URLs expire too early or too late", this::clock),
        required("presigned-put", "runners cannot store checkpoints", this::presignedPut),
        required("presigned-get", "runners cannot restore checkpoints", this::presignedGet),
        required("presigned-range", "runners cannot restore checkpoints", this::presignedRange),
        required("presigned-absent", "a lost pack looks like an outage", this::gone),
        required("expired-url", "a runner may write after its lease has ended", this::expired),
        required("guessed-secret", "everybody can read checkpoints", this::guessedSecret),
        required("other-key", "a runner can replace packs of other runs", this::otherKey),
        required("other-method", "a URL for uploads can read packs", this::otherMethod),
        required("signed-checksum", "a runner can store other bytes than it named", this::signed),
        new StoreCheck(
            "checksum",
            Need.ADVISED,
            "bytes that were damaged on the way are noticed only when they are verified",
            this::checksum),
        new StoreCheck("if-none-match", Need.OPTIONAL, "nothing: not used", this::ifNoneMatch));
  }

  private static StoreCheck required(String name, String consequence, StoreCheck.Body body) {
    return new StoreCheck(name, Need.REQUIRED, consequence, body);
  }

  private void bucket(S3BucketClient bucket, String prefix) throws Exception {
    bucket.ensureBucket();
    unless(bucket.bucketExists(), "the created bucket", "absent", "there");
    try (S3BucketClient other =
        bucket.as("baton-absent-" + UUID.randomUUID(), bucket.address().secretKey())) {
      unless(!other.bucketExists(), "a bucket that was never created", "there", "absent");
    }
  }

  private void putAndGet(S3BucketClient bucket, String prefix) throws Exception {
    bucket.put(prefix + "object", bytes);
    unlessEqual(bucket.get(prefix + "object"), bytes, "the object");
  }

  private void replace(S3BucketClient bucket, String prefix) throws Exception {
    bucket.put(prefix + "object", bytes);
    bucket.put(prefix + "object", new byte[] {7});
    unlessEqual(bucket.get(prefix + "object"), new byte[] {7}, "the replaced object");
  }

  private void emptyObject(S3BucketClient bucket, String prefix) throws Exception {
    bucket.put(prefix + "empty", new byte[0]);
    unlessEqual(bucket.size(prefix + "empty"), 0, "the size of an empty object");
    unlessEqual(bucket.get(prefix + "empty"), new byte[0], "the empty object");
  }

  private void size(S3BucketClient bucket, String prefix) throws Exception {
    bucket.put(prefix + "object", bytes);
    unlessEqual(bucket.size(prefix + "object"), bytes.length, "the size of the object");
  }

  private void absent(S3BucketClient bucket, String prefix) throws Exception {
    unlessAbsent(bucket, prefix + "absent");
  }

  private void range(S3BucketClient bucket, String prefix) throws Exception {
    bucket.put(prefix + "object", bytes);
    unlessEqual(
        bucket.get(prefix + "object", 10, 20),
        Arrays.copyOfRange(bytes, 10, 30),
        "bytes 10 to 29 of the object");
  }

  private void parts(S3BucketClient bucket, String prefix) throws Exception {
    bucket.putInParts(prefix + "large", large, PART_BYTES);
    unlessEqual(bucket.size(prefix + "large"), large.length, "the size of an object of 3 parts");
    unlessEqual(bucket.get(prefix + "large"), large, "the object of 3 parts");
    unlessEqual(
        bucket.get(prefix + "large", PART_BYTES - 3, 6),
        Arrays.copyOfRange(large, PART_BYTES - 3, PART_BYTES + 3),
        "a range over two parts");
  }

  private void remove(S3BucketClient bucket, String prefix) throws Exception {
    bucket.put(prefix + "object", bytes);
    bucket.remove(prefix + "object");
    unlessAbsent(bucket, prefix + "object");
  }

  private void removeAbsent(S3BucketClient bucket, String prefix) throws Exception {
    bucket.remove(prefix + "absent");
  }

  private void removeMany(S3BucketClient bucket, String prefix) throws Exception {
    List<String> keys = keys(prefix, 10);
    for (String key : keys) {
      bucket.put(key, bytes);
    }
    bucket.put(prefix + "kept", bytes);
    bucket.remove(keys);
    unlessEqual(names(bucket.list(prefix, "", page)), List.of(prefix + "kept"), "what is left");
  }

  private void listPages(S3BucketClient bucket, String prefix) throws Exception {
    List<String> keys = keys(prefix, page + page / 10 + 1);
    inParallel(keys, key -> bucket.put(key, key.getBytes(UTF_8)));
    List<Item> listed = bucket.list(prefix, "", page);
    unlessEqual(names(listed), keys, "the list of %d objects".formatted(keys.size()));
    unlessEqual(
        listed.getFirst().size(), keys.getFirst().getBytes(UTF_8).length, "the size in the list");
    bucket.remove(keys);
    unlessEqual(names(bucket.list(prefix, "", page)), List.of(), "the list after all are removed");
  }

  private void listAfter(S3BucketClient bucket, String prefix) throws Exception {
    List<String> keys = keys(prefix, 10);
    for (String key : keys) {
      bucket.put(key, bytes);
    }
    unlessEqual(
        names(bucket.list(prefix, keys.get(3), 4)), keys.subList(4, 10), "the list after a key");
  }

  private void listPrefix(S3BucketClient bucket, String prefix) throws Exception {
    bucket.put(prefix + "one/object", bytes);
    bucket.put(prefix + "oneother", bytes);
    unlessEqual(
        names(bucket.list(prefix + "one/", "", page)),
        List.of(prefix + "one/object"),
        "the list below a prefix");
  }

  private void clock(S3BucketClient bucket, String prefix) throws Exception {
    URI url = bucket.presign(Method.GET, prefix + "absent", Map.of(), S3BucketClient.LIFE_SECONDS);
    HttpResponse<byte[]> response = bucket.get(url, Map.of());
    String date = response.headers().firstValue("Date").orElse("");
    unless(!date.isEmpty(), "the header Date", "missing", "there");
    Duration difference =
        Duration.between(
                ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant(),
                Instant.now())
            .abs();
    unless(
        difference.compareTo(MOST_CLOCK_DIFFERENCE) <= 0,
        "the difference between the server's clock and this one",
        difference.toSeconds() + " s",
        "at most " + MOST_CLOCK_DIFFERENCE.toSeconds() + " s");
  }

  private void presignedPut(S3BucketClient bucket, String prefix) throws Exception {
    Map<String, String> checksum = Map.of(CHECKSUM, sha256(bytes));
    URI url = bucket.presign(Method.PUT, prefix + "pack", checksum, S3BucketClient.LIFE_SECONDS);
    unlessStatus(bucket.put(url, checksum, bytes).statusCode(), 200, "a PUT");
    unlessStatus(bucket.put(url, checksum, bytes).statusCode(), 200, "the same PUT once more");
    unlessEqual(bucket.get(prefix + "pack"), bytes, "the object");
  }

  private void presignedGet(S3BucketClient bucket, String prefix) throws Exception {
    bucket.put(prefix + "pack", bytes);
    HttpResponse<byte[]> all = bucket.get(readUrl(bucket, prefix + "pack"), Map.of());
    unlessStatus(all.statusCode(), 200, "a GET");
    unlessEqual(all.body(), bytes, "the object");
  }

  private void presignedRange(S3BucketClient bucket, String prefix) throws Exception {
    bucket.put(prefix + "pack", bytes);
    URI url = readUrl(bucket, prefix + "pack");
    for (int[] range : new int[][] {{0, 1}, {5_000, 70_000}, {99_956, 100_000}}) {
      String wanted = range[0] + "-" + (range[1] - 1);
      HttpResponse<byte[]> part = bucket.get(url, Map.of("Range", "bytes=" + wanted));
      unlessStatus(part.statusCode(), 206, "a GET of bytes " + wanted);
      unlessEqual(
          part.headers().firstValue("Content-Range").orElse("(none)"),
          "bytes %s/%d".formatted(wanted, bytes.length),
          "the header Content-Range");
      unlessEqual(
          part.body(), Arrays.copyOfRange(bytes, range[0], range[1]), "the bytes " + wanted);
    }
  }

  private void gone(S3BucketClient bucket, String prefix) throws Exception {
    URI url = readUrl(bucket, prefix + "absent");
    unlessStatus(bucket.get(url, Map.of()).statusCode(), 404, "a GET of an absent object");
  }

  private void expired(S3BucketClient bucket, String prefix) throws Exception {
    bucket.put(prefix + "object", bytes);
    URI url = bucket.presign(Method.GET, prefix + "object", Map.of(), 1);
    long end = System.nanoTime() + EXPIRED_WITHIN.toNanos();
    int status = bucket.get(url, Map.of()).statusCode();
    while (status == 200 && System.nanoTime() < end) {
      TimeUnit.MILLISECONDS.sleep(200);
      status = bucket.get(url, Map.of()).statusCode();
    }
    unlessStatus(status, 403, "a GET with a URL that was valid for one second");
  }

  private void guessedSecret(S3BucketClient bucket, String prefix) throws Exception {
    bucket.put(prefix + "object", bytes);
    try (S3BucketClient stranger = bucket.as(bucket.address().bucket(), GUESSED)) {
      unlessStatus(
          stranger.get(readUrl(stranger, prefix + "object"), Map.of()).statusCode(),
          403,
          "a GET signed with a guessed secret");
      try {
        stranger.put(prefix + "object", others);
        throw new CheckFailedException("a PUT signed with a guessed secret is accepted");
      } catch (ErrorResponseException refused) {
        unlessStatus(refused.response().code(), 403, "a PUT signed with a guessed secret");
      }
    }
    unlessEqual(bucket.get(prefix + "object"), bytes, "the object afterwards");
  }

  private void otherKey(S3BucketClient bucket, String prefix) throws Exception {
    URI url = bucket.presign(Method.PUT, prefix + "object", Map.of(), S3BucketClient.LIFE_SECONDS);
    URI elsewhere = URI.create(url.toString().replace("/object?", "/other?"));
    unlessStatus(
        bucket.put(elsewhere, Map.of(), others).statusCode(), 403, "a PUT with another key's URL");
    unlessAbsent(bucket, prefix + "other");
  }

  private void otherMethod(S3BucketClient bucket, String prefix) throws Exception {
    bucket.put(prefix + "object", bytes);
    URI url = bucket.presign(Method.PUT, prefix + "object", Map.of(), S3BucketClient.LIFE_SECONDS);
    unlessStatus(
        bucket.get(url, Map.of()).statusCode(), 403, "a GET with a URL that was signed for PUT");
  }

  private void signed(S3BucketClient bucket, String prefix) throws Exception {
    Map<String, String> checksum = Map.of(CHECKSUM, sha256(bytes));
    URI url = bucket.presign(Method.PUT, prefix + "pack", checksum, S3BucketClient.LIFE_SECONDS);
    unlessStatus(
        bucket.put(url, Map.of(CHECKSUM, sha256(others)), others).statusCode(),
        403,
        "a PUT with another checksum than the signed one");
    unlessStatus(
        bucket.put(url, Map.of(), others).statusCode(), 403, "a PUT without the signed checksum");
    unlessAbsent(bucket, prefix + "pack");
  }

  private void checksum(S3BucketClient bucket, String prefix) throws Exception {
    Map<String, String> checksum = Map.of(CHECKSUM, sha256(bytes));
    URI url = bucket.presign(Method.PUT, prefix + "pack", checksum, S3BucketClient.LIFE_SECONDS);
    String request = "a PUT of other bytes than those of the signed checksum";
    unlessStatus(bucket.put(url, checksum, others).statusCode(), 400, request);
    unlessAbsent(bucket, prefix + "pack");
    bucket.put(url, checksum, bytes);
    unlessStatus(bucket.put(url, checksum, others).statusCode(), 400, request);
    unlessEqual(bucket.get(prefix + "pack"), bytes, "the object afterwards");
  }

  private void ifNoneMatch(S3BucketClient bucket, String prefix) throws Exception {
    Map<String, String> unlessThere = Map.of("If-None-Match", "*");
    URI url =
        bucket.presign(Method.PUT, prefix + "first", unlessThere, S3BucketClient.LIFE_SECONDS);
    unlessStatus(bucket.put(url, unlessThere, bytes).statusCode(), 200, "the first PUT");
    unlessStatus(bucket.put(url, unlessThere, others).statusCode(), 412, "the second PUT");
    unlessEqual(bucket.get(prefix + "first"), bytes, "the object afterwards");
  }

  private static URI readUrl(S3BucketClient bucket, String key) throws Exception {
    return bucket.presign(Method.GET, key, Map.of(), S3BucketClient.LIFE_SECONDS);
  }

  private static List<String> keys(String prefix, int count) {
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      keys.add(prefix + "%04d".formatted(i));
    }
    return keys;
  }

  private static List<String> names(List<Item> items) {
    return items.stream().map(Item::objectName).toList();
  }

  private static void unlessEqual(byte[] found, byte[] wanted, String what)
      throws CheckFailedException {
    int first = Arrays.mismatch(found, wanted);
    unless(
        first < 0,
        what,
        "%d bytes that differ from byte %d on".formatted(found.length, first),
        wanted.length + " bytes as they were stored");
  }

  private static void unlessEqual(long found, long wanted, String what)
      throws CheckFailedException {
    unless(found == wanted, what, found, wanted);
  }

  private static void unlessEqual(String found, String wanted, String what)
      throws CheckFailedException {
    unless(found.equals(wanted), what, found, wanted);
  }

  private static void unlessEqual(List<String> found, List<String> wanted, String what)
      throws CheckFailedException {
    if (found.equals(wanted)) {
      return;
    }
    int first = 0;
    while (first < Math.min(found.size(), wanted.size())
        && found.get(first).equals(wanted.get(first))) {
      first++;
    }
    throw new CheckFailedException(
        "%s has %d keys, not %d; entry %d is '%s', not '%s'"
            .formatted(
                what,
                found.size(),
                wanted.size(),
                first + 1,
                first < found.size() ? found.get(first) : "",
                first < wanted.size() ? wanted.get(first) : ""));
  }

  private static void unlessAbsent(S3BucketClient bucket, String key) throws Exception {
    try {
      bucket.size(key);
    } catch (ErrorResponseException absent) {
      unlessStatus(absent.response().code(), 404, "a HEAD of an absent object");
      return;
    }
    throw new CheckFailedException("an object that must be absent is there");
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

  private static byte[] random(Random random, int length) {
    byte[] some = new byte[length];
    random.nextBytes(some);
    return some;
  }

  private static String sha256(byte[] some) throws Exception {
    return Base64.getEncoder().encodeToString(MessageDigest.getInstance("SHA-256").digest(some));
  }
}
