/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.objects;

import dev.baton.protocol.tls.TlsFailure;
import dev.baton.protocol.tls.TlsSettings;
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
import io.minio.http.HttpUtils;
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
import javax.net.ssl.X509ExtendedTrustManager;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/**
 * The client of the one bucket. Packs and outputs do not pass through it on upload and download: it
 * checks, signs URLs, and reads to verify. Retries transient failures, at most {@value #TRIES}
 * times. Results arrive on any thread, so a caller that opens a session must first return to a
 * Vert.x context. Thread-safe.
 */
@ApplicationScoped
public class BucketClient {
  private static final long TIMEOUT_MILLIS = 10_000;
  private static final int TRIES = 8;
  private static final int PAGE = 1_000;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(30);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

  /** S3 checks that the object has the digest that this header names. */
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
    MinioAsyncClient.Builder builder =
        MinioAsyncClient.builder()
            .endpoint(endpoint)
            .region(store.region())
            .credentials(store.accessKey(), store.secretKey());
    if ("https".equals(store.endpoint().getScheme())) {
      builder.httpClient(http(config.tls().settings()));
    }
    client = builder.build();
    client.setTimeout(TIMEOUT_MILLIS, TIMEOUT_MILLIS, TIMEOUT_MILLIS);
  }

  private static OkHttpClient http(TlsSettings tls) {
    X509ExtendedTrustManager trust = tls.trustManagerOfOthers();
    return HttpUtils.newDefaultHttpClient(TIMEOUT_MILLIS, TIMEOUT_MILLIS, TIMEOUT_MILLIS)
        .newBuilder()
        .sslSocketFactory(TlsSettings.contextOf(trust).getSocketFactory(), trust)
        .build();
  }

  public String where() {
    return endpoint + "/" + name;
  }

  /** Creates the bucket if it does not exist. Blocks; for use at start. */
  public void ensure(Duration patience)
      throws InterruptedException,
          ExecutionException,
          TimeoutException,
          MinioException,
          GeneralSecurityException,
          IOException {
    long millis = patience.toMillis();
    try {
      boolean exists =
          client
              .bucketExists(BucketExistsArgs.builder().bucket(name).build())
              .get(millis, TimeUnit.MILLISECONDS);
      if (!exists) {
        client
            .makeBucket(MakeBucketArgs.builder().bucket(name).build())
            .get(millis, TimeUnit.MILLISECONDS);
      }
    } catch (ExecutionException e) {
      if (TlsFailure.of(e).isPresent()) {
        throw away(e);
      }
      throw e;
    }
  }

  /**
   * Probes the required features of the object store with one small object: it rejects bytes whose
   * digest differs from the one in the upload, returns a part of an object, lists from a key on,
   * and shows at once what was written and removed. Blocks; for use at start.
   *
   * @return the missing features in words; empty if all are supported
   */
  public List<String> missing() {
    return new BucketProbe(this).missing();
  }

  /** Returns the object's size in bytes; empty if it does not exist. */
  public Uni<OptionalLong> size(String key) {
    return ask(() -> client.statObject(StatObjectArgs.builder().bucket(name).object(key).build()))
        .map(StatObjectResponse::size)
        .map(OptionalLong::of)
        .onFailure(BucketClient::isAbsent)
        .recoverWithItem(OptionalLong.empty())
        .onFailure()
        .transform(this::away);
  }

  /** Writes a small object of JSON. Idempotent. */
  public Uni<Void> put(String key, byte[] bytes) {
    return put(key, bytes, "application/json");
  }

  /** Writes a small object. Idempotent. */
  public Uni<Void> put(String key, byte[] bytes, String contentType) {
    return ask(() ->
            client.putObject(
                PutObjectArgs.builder().bucket(name).object(key).contentType(contentType).stream(
                        new ByteArrayInputStream(bytes), bytes.length, -1)
                    .build()))
        .replaceWithVoid()
        .onFailure()
        .transform(this::away);
  }

  /** Removes an object; also succeeds if it does not exist. */
  public Uni<Void> remove(String key) {
    return ask(() ->
            client.removeObject(RemoveObjectArgs.builder().bucket(name).object(key).build()))
        .onFailure(BucketClient::isAbsent)
        .recoverWithNull()
        .onFailure()
        .transform(this::away);
  }

  /**
   * Opens the object's bytes from {@code offset} on; the caller must close the stream. A read may
   * fail, and the caller then retries. Fails with NOT_FOUND if the object does not exist. Blocks.
   *
   * @param length null for all remaining bytes
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
   * Lists the objects with this key prefix in key order and fetches one page at a time. The
   * iterator fails with UNAVAILABLE if the object store does not respond. Blocks.
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

  /** Lists the first objects after this key; null for the beginning. */
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
    StoreRequestException away =
        StoreRequestException.unavailable(
            "the object store at "
                + where()
                + " did not answer: "
                + TlsFailure.explain(failure, "baton.object-store.endpoint", BucketClient::root));
    away.initCause(failure);
    return away;
  }

  private static boolean isAbsent(Throwable failure) {
    return status(failure) == 404;
  }

  /** Whether the same request may succeed later: false if the server rejected it permanently. */
  static boolean mayPass(Throwable failure) {
    int status = status(failure);
    return status < 400 || status >= 500 || status == 408 || status == 429;
  }

  /** The HTTP status of the response; 0 without a readable response. */
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

  /** The headers that a PUT of the object must carry: S3 rejects bytes with another digest. */
  public Map<String, String> putHeaders(ObjectName object) {
    return Map.of(CHECKSUM, object.digestBase64());
  }

  /** The URL for a PUT of an object with any key and these headers. */
  public String putUrl(String key, Map<String, String> headers) {
    return presign(Method.PUT, key, headers);
  }

  /** The header that lets S3 reject bytes with another SHA-256. {@code hash} has 32 bytes. */
  public static Map<String, String> checksum(byte[] hash) {
    return Map.of(CHECKSUM, Base64.getEncoder().encodeToString(hash));
  }

  public String getUrl(String key) {
    return presign(Method.GET, key, Map.of());
  }

  /** Local: the region is configured, so no request is sent. */
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
      throw new IllegalStateException("cannot sign a URL for " + key, e);
    }
  }
}
