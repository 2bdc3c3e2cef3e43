/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.storedoctor;

import dev.baton.protocol.tls.TlsSettings;
import io.minio.BucketExistsArgs;
import io.minio.GetObjectArgs;
import io.minio.GetPresignedObjectUrlArgs;
import io.minio.ListObjectsArgs;
import io.minio.MakeBucketArgs;
import io.minio.MinioClient;
import io.minio.PutObjectArgs;
import io.minio.RemoveObjectArgs;
import io.minio.RemoveObjectsArgs;
import io.minio.Result;
import io.minio.StatObjectArgs;
import io.minio.http.HttpUtils;
import io.minio.http.Method;
import io.minio.messages.DeleteObject;
import io.minio.messages.Item;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.X509ExtendedTrustManager;

/** Uses one bucket like the checkpoint-store, and presigned URLs like a runner. Thread-safe. */
public final class S3BucketClient implements AutoCloseable {
  static final int LIFE_SECONDS = 300;
  private static final int PUTS = 5;
  private static final int MAX_PAGE = 1_000;
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final BucketAddress address;
  private final MinioClient minio;
  private final String bucket;
  private final TlsSettings tls;
  private final HttpClient http;

  /**
   * @param tls whose authorities the server may have, in addition to those of the JDK
   */
  S3BucketClient(BucketAddress address, TlsSettings tls) {
    this.address = address;
    this.tls = tls;
    bucket = address.bucket();
    MinioClient.Builder builder =
        MinioClient.builder()
            .endpoint(address.endpoint().toString())
            .region(address.region())
            .credentials(address.accessKey(), address.secretKey());
    HttpClient.Builder presigned = HttpClient.newBuilder();
    if ("https".equals(address.endpoint().getScheme())) {
      X509ExtendedTrustManager trust = tls.trustManagerOfOthers();
      SSLContext context = TlsSettings.contextOf(trust);
      builder.httpClient(
          HttpUtils.newDefaultHttpClient(TIMEOUT.toMillis(), TIMEOUT.toMillis(), TIMEOUT.toMillis())
              .newBuilder()
              .sslSocketFactory(context.getSocketFactory(), trust)
              .build());
      presigned.sslContext(context);
    }
    minio = builder.build();
    minio.setTimeout(TIMEOUT.toMillis(), TIMEOUT.toMillis(), TIMEOUT.toMillis());
    http = presigned.build();
  }

  void ensureBucket() throws Exception {
    if (!bucketExists()) {
      minio.makeBucket(MakeBucketArgs.builder().bucket(bucket).build());
    }
  }

  boolean bucketExists() throws Exception {
    return minio.bucketExists(BucketExistsArgs.builder().bucket(bucket).build());
  }

  void put(String key, byte[] bytes) throws Exception {
    minio.putObject(
        PutObjectArgs.builder().bucket(bucket).object(key).stream(
                new ByteArrayInputStream(bytes), bytes.length, -1)
            .build());
  }

  /** Uploads in parts; the total size is not known before the end. */
  void putInParts(String key, byte[] bytes, int part) throws Exception {
    minio.putObject(
        PutObjectArgs.builder().bucket(bucket).object(key).stream(
                new ByteArrayInputStream(bytes), -1, part)
            .build());
  }

  byte[] get(String key) throws Exception {
    try (var in = minio.getObject(GetObjectArgs.builder().bucket(bucket).object(key).build())) {
      return in.readAllBytes();
    }
  }

  byte[] get(String key, long offset, long length) throws Exception {
    GetObjectArgs part =
        GetObjectArgs.builder().bucket(bucket).object(key).offset(offset).length(length).build();
    try (var in = minio.getObject(part)) {
      return in.readAllBytes();
    }
  }

  long size(String key) throws Exception {
    return minio.statObject(StatObjectArgs.builder().bucket(bucket).object(key).build()).size();
  }

  void remove(String key) throws Exception {
    minio.removeObject(RemoveObjectArgs.builder().bucket(bucket).object(key).build());
  }

  void remove(List<String> keys) throws Exception {
    List<DeleteObject> objects = keys.stream().map(DeleteObject::new).toList();
    for (var failed :
        minio.removeObjects(RemoveObjectsArgs.builder().bucket(bucket).objects(objects).build())) {
      throw new IOException("an object cannot be removed: " + failed.get().message());
    }
  }

  /** Removes all objects below a prefix. */
  void removeAll(String prefix) throws Exception {
    remove(list(prefix, "", MAX_PAGE).stream().map(Item::objectName).toList());
  }

  /**
   * @param after empty for the first page
   * @param page maximum number of entries per request
   */
  List<Item> list(String prefix, String after, int page) throws Exception {
    ListObjectsArgs.Builder args =
        ListObjectsArgs.builder().bucket(bucket).prefix(prefix).recursive(true).maxKeys(page);
    List<Item> items = new ArrayList<>();
    for (Result<Item> item :
        minio.listObjects(after.isEmpty() ? args.build() : args.startAfter(after).build())) {
      items.add(item.get());
    }
    return items;
  }

  URI presign(Method method, String key, Map<String, String> headers, int lifeSeconds)
      throws Exception {
    return URI.create(
        minio.getPresignedObjectUrl(
            GetPresignedObjectUrlArgs.builder()
                .method(method)
                .bucket(bucket)
                .object(key)
                .expiry(lifeSeconds)
                .extraHeaders(headers)
                .build()));
  }

  HttpResponse<byte[]> put(URI url, Map<String, String> headers, byte[] body) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(url).PUT(HttpRequest.BodyPublishers.ofByteArray(body));
    headers.forEach(request::header);
    IOException last = null;
    for (int i = 0; i < PUTS; i++) {
      try {
        return send(request);
      } catch (IOException e) {
        // A server that refuses a PUT may close the connection before it has read the body: then
        // its response is lost, or the next request fails on the closed connection.
        last = e;
      }
    }
    throw new IOException(PUTS + " PUTs got no response", last);
  }

  /** Returns the same server's bucket of another name, or with another secret. */
  S3BucketClient as(String otherBucket, String otherSecret) {
    return new S3BucketClient(
        new BucketAddress(
            address.endpoint(), address.region(), otherBucket, address.accessKey(), otherSecret),
        tls);
  }

  BucketAddress address() {
    return address;
  }

  HttpResponse<byte[]> get(URI url, Map<String, String> headers) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(url);
    headers.forEach(request::header);
    return send(request);
  }

  private HttpResponse<byte[]> send(HttpRequest.Builder request) throws Exception {
    return http.send(
        request.timeout(TIMEOUT).version(HttpClient.Version.HTTP_1_1).build(),
        HttpResponse.BodyHandlers.ofByteArray());
  }

  @Override
  public void close() throws Exception {
    http.close();
    minio.close();
  }
}
