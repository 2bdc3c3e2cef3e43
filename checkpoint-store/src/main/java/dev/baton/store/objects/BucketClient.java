/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.objects;

import dev.baton.store.config.StoreConfig;
import dev.baton.store.failure.StoreRequestException;
import dev.baton.store.scheduling.Await;
import io.minio.BucketExistsArgs;
import io.minio.GetObjectArgs;
import io.minio.GetPresignedObjectUrlArgs;
import io.minio.ListObjectsArgs;
import io.minio.MakeBucketArgs;
import io.minio.MinioAsyncClient;
import io.minio.PutObjectArgs;
import io.minio.RemoveObjectArgs;
import io.minio.Result;
import io.minio.StatObjectArgs;
import io.minio.StatObjectResponse;
import io.minio.errors.ErrorResponseException;
import io.minio.errors.MinioException;
import io.minio.http.Method;
import io.minio.messages.Item;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The one bucket. Packs and outputs never pass through here on their way: it looks, it signs, and
 * it reads to verify. What may pass by itself is tried again, {@value #TRIES} times at most.
 * Answers come on any thread: who opens a session then comes back to a Vert.x context first.
 * Thread-safe.
 */
@ApplicationScoped
public class BucketClient {
  private static final long TIMEOUT_MILLIS = 10_000;
  private static final int TRIES = 8;
  private static final int PAGE = 1_000;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(30);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

  /** S3 sees to it that an object has the digest that its upload names. */
  private static final String CHECKSUM = "x-amz-checksum-sha256";

  private final MinioAsyncClient client;
  private final String endpoint;
  private final String name;
  private final int urlLifeSeconds;

  BucketClient(StoreConfig config) {
    StoreConfig.ObjectStore store = config.objectStore();
    endpoint = store.endpoint().toString();
    name = store.bucket();
    urlLifeSeconds = Math.toIntExact(store.urlLife().toSeconds());
    client =
        MinioAsyncClient.builder()
            .endpoint(endpoint)
            .region(store.region())
            .credentials(store.accessKey(), store.secretKey())
            .build();
    client.setTimeout(TIMEOUT_MILLIS, TIMEOUT_MILLIS, TIMEOUT_MILLIS);
  }

  public String where() {
    return endpoint + "/" + name;
  }

  /** Creates the bucket unless it exists. Blocks; for the start. */
  public void ensure(Duration patience)
      throws InterruptedException,
          ExecutionException,
          TimeoutException,
          MinioException,
          GeneralSecurityException,
          IOException {
    long millis = patience.toMillis();
    boolean exists =
        client
            .bucketExists(BucketExistsArgs.builder().bucket(name).build())
            .get(millis, TimeUnit.MILLISECONDS);
    if (!exists) {
      client
          .makeBucket(MakeBucketArgs.builder().bucket(name).build())
          .get(millis, TimeUnit.MILLISECONDS);
    }
  }

  /**
   * Tries with one small object what is required of an object store: that it refuses bytes of
   * another digest than the upload names, gives a part of an object, lists from after a key, and
   * shows what was just written and removed. Blocks; for the start.
   *
   * @return what it does not do, each in words; empty for a store that will do
   */
  public List<String> missing() {
    return new BucketProbe(this).missing();
  }

  /** The object's size in bytes; empty when there is none. */
  public Uni<OptionalLong> size(String key) {
    return ask(() -> client.statObject(StatObjectArgs.builder().bucket(name).object(key).build()))
        .map(StatObjectResponse::size)
        .map(OptionalLong::of)
        .onFailure(BucketClient::isAbsent)
        .recoverWithItem(OptionalLong.empty())
        .onFailure()
        .transform(this::away);
  }

  /** Writes a small object. May be repeated. */
  public Uni<Void> put(String key, byte[] bytes) {
    return ask(() ->
            client.putObject(
                PutObjectArgs.builder()
                    .bucket(name)
                    .object(key)
                    .contentType("application/json")
                    .stream(new ByteArrayInputStream(bytes), bytes.length, -1)
                    .build()))
        .replaceWithVoid()
        .onFailure()
        .transform(this::away);
  }

  /** Also succeeds when there is no such object. */
  public Uni<Void> remove(String key) {
    return ask(() ->
            client.removeObject(RemoveObjectArgs.builder().bucket(name).object(key).build()))
        .onFailure(BucketClient::isAbsent)
        .recoverWithNull()
        .onFailure()
        .transform(this::away);
  }

  /**
   * The object's bytes from {@code offset} on, to be closed. A read of it may fail, and is then for
   * the caller to try again. NOT_FOUND when there is no such object. Blocks.
   *
   * @param length null for all that follow
   */
  public InputStream open(String key, long offset, @Nullable Long length) {
    return Await.get(
        ask(() ->
                client.getObject(
                    GetObjectArgs.builder()
                        .bucket(name)
                        .object(key)
                        .offset(offset)
                        .length(length)
                        .build()))
            .map(InputStream.class::cast)
            .onFailure(BucketClient::isAbsent)
            .transform(
                absent -> StoreRequestException.notFound("the object " + key + " is not there"))
            .onFailure(failure -> !(failure instanceof StoreRequestException))
            .transform(this::away));
  }

  /**
   * The objects whose keys begin so, in the order of the keys; asks for one page after the other.
   * Going on fails with UNAVAILABLE when the object store does not answer. Blocks.
   */
  public Iterable<Item> list(String prefix) {
    return list(prefix, PAGE);
  }

  Iterable<Item> list(String prefix, int page) {
    return () ->
        Stream.iterate(
                page(prefix, null, page),
                items -> !items.isEmpty(),
                items ->
                    items.size() < page
                        ? List.of()
                        : page(prefix, items.getLast().objectName(), page))
            .flatMap(List::stream)
            .iterator();
  }

  /** The first objects after this key; null: the first of all. */
  private List<Item> page(String prefix, @Nullable String after, int most) {
    ListObjectsArgs args =
        ListObjectsArgs.builder()
            .bucket(name)
            .prefix(prefix)
            .recursive(true)
            .startAfter(after)
            .maxKeys(most)
            .build();
    return Await.get(
        ask(() -> {
              List<Item> items = new ArrayList<>();
              Iterator<Result<Item>> listed = client.listObjects(args).iterator();
              while (items.size() < most && listed.hasNext()) {
                items.add(listed.next().get());
              }
              return CompletableFuture.completedFuture(items);
            })
            .onFailure()
            .transform(this::away));
  }

  private interface Question<T> {
    CompletableFuture<T> ask() throws MinioException, GeneralSecurityException, IOException;
  }

  private static <T> Uni<T> ask(Question<T> question) {
    return Uni.createFrom()
        .completionStage(
            () -> {
              try {
                return question.ask();
              } catch (MinioException | GeneralSecurityException | IOException e) {
                throw new CompletionException(e);
              }
            })
        // The client signs and writes the request on the calling thread.
        .runSubscriptionOn(Infrastructure.getDefaultExecutor())
        .onFailure(BucketClient::mayPass)
        .retry()
        .withBackOff(FIRST_PAUSE, LONGEST_PAUSE)
        .withJitter(0.3)
        .atMost(TRIES - 1);
  }

  private StoreRequestException away(Throwable failure) {
    return StoreRequestException.unavailable(
        "the object store at " + where() + " did not answer: " + root(failure));
  }

  private static boolean isAbsent(Throwable failure) {
    return status(failure) == 404;
  }

  /** Whether the same request may succeed: not what the server has refused for good. */
  static boolean mayPass(Throwable failure) {
    int status = status(failure);
    return status < 400 || status >= 500 || status == 408 || status == 429;
  }

  /** The server's answer; 0 when there was none that could be read. */
  private static int status(Throwable failure) {
    for (Throwable t = failure; t != null; t = t.getCause()) {
      if (t instanceof ErrorResponseException refused) {
        return refused.response().code();
      }
    }
    return 0;
  }

  private static String root(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause.toString();
  }

  /** What a PUT to the object's address must carry: S3 refuses other bytes than the digest's. */
  public Map<String, String> putHeaders(ObjectName object) {
    return Map.of(CHECKSUM, object.digestBase64());
  }

  public String putUrl(ObjectName object) {
    return presign(Method.PUT, object.key(), putHeaders(object));
  }

  /** Where to PUT an object of another name, with these headers. */
  public String putUrl(String key, Map<String, String> headers) {
    return presign(Method.PUT, key, headers);
  }

  /** By which S3 refuses other bytes than those with this SHA-256, of 32 bytes. */
  public static Map<String, String> checksum(byte[] hash) {
    return Map.of(CHECKSUM, Base64.getEncoder().encodeToString(hash));
  }

  public String getUrl(String key) {
    return presign(Method.GET, key, Map.of());
  }

  /** Local: the region is known, so nobody is asked. */
  private String presign(Method method, String key, Map<String, String> headers) {
    try {
      return client.getPresignedObjectUrl(
          GetPresignedObjectUrlArgs.builder()
              .method(method)
              .bucket(name)
              .object(key)
              .expiry(urlLifeSeconds)
              .extraHeaders(headers)
              .build());
    } catch (MinioException | GeneralSecurityException | IOException e) {
      throw new IllegalStateException("cannot sign an URL for " + key, e);
    }
  }
}
