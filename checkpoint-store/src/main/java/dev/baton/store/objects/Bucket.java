/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.objects;

import dev.baton.store.config.StoreConfig;
import dev.baton.store.failure.StoreFailure;
import io.minio.BucketExistsArgs;
import io.minio.GetPresignedObjectUrlArgs;
import io.minio.MakeBucketArgs;
import io.minio.MinioAsyncClient;
import io.minio.StatObjectArgs;
import io.minio.StatObjectResponse;
import io.minio.errors.ErrorResponseException;
import io.minio.errors.MinioException;
import io.minio.http.Method;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The one bucket. Bytes never pass through here: it looks and it signs. Thread-safe. */
@ApplicationScoped
public class Bucket {
  private static final long TIMEOUT_MILLIS = 10_000;

  private final MinioAsyncClient client;
  private final String endpoint;
  private final String name;
  private final int urlLifeSeconds;

  Bucket(StoreConfig config) {
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

  /** The object's size in bytes; empty when there is none. */
  Uni<OptionalLong> size(ObjectName object) {
    return Uni.createFrom()
        .completionStage(
            () -> {
              try {
                return client.statObject(
                    StatObjectArgs.builder().bucket(name).object(object.key()).build());
              } catch (MinioException | GeneralSecurityException | IOException e) {
                throw new CompletionException(e);
              }
            })
        // The client signs and writes the request on the calling thread.
        .runSubscriptionOn(Infrastructure.getDefaultExecutor())
        .map(StatObjectResponse::size)
        .map(OptionalLong::of)
        .onFailure(Bucket::isAbsent)
        .recoverWithItem(OptionalLong.empty())
        .onFailure(failure -> !(failure instanceof StoreFailure))
        .transform(
            failure ->
                StoreFailure.unavailable(
                    "the object store at " + where() + " did not answer: " + root(failure)));
  }

  private static boolean isAbsent(Throwable failure) {
    for (Throwable t = failure; t != null; t = t.getCause()) {
      if (t instanceof ErrorResponseException refused) {
        return refused.response().code() == 404;
      }
    }
    return false;
  }

  private static String root(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause.toString();
  }

  String putUrl(ObjectName object) {
    return presign(Method.PUT, object);
  }

  String getUrl(ObjectName object) {
    return presign(Method.GET, object);
  }

  /** Local: the region is known, so nobody is asked. */
  private String presign(Method method, ObjectName object) {
    try {
      return client.getPresignedObjectUrl(
          GetPresignedObjectUrlArgs.builder()
              .method(method)
              .bucket(name)
              .object(object.key())
              .expiry(urlLifeSeconds)
              .build());
    } catch (MinioException | GeneralSecurityException | IOException e) {
      throw new IllegalStateException("cannot sign an URL for " + object.key(), e);
    }
  }
}
