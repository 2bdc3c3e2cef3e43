/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.gaul.s3proxy.BlobStores;
import org.gaul.s3proxy.blobstore.BlobStore;
import org.gaul.s3proxy.blobstore.ForwardingBlobStore;
import org.gaul.s3proxy.blobstore.domain.MultipartUpload;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.services.s3.model.CompleteMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.CompletedMultipartUpload;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.CreateBucketRequest;
import software.amazon.awssdk.services.s3.model.CreateMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.PutObjectResponse;
import software.amazon.awssdk.services.s3.model.UploadPartRequest;

class DurableBlobStoreTest {

  private static final byte[] CONTENT = "content".getBytes(StandardCharsets.UTF_8);

  @TempDir Path root;

  private final List<Path> forced = new ArrayList<>();
  private BlobStore store;

  @BeforeEach
  void open() {
    store = new DurableBlobStore(files(), root, this::force);
    store.createContainer(CreateBucketRequest.builder().bucket("kept").build());
    forced.clear();
  }

  @Test
  void shouldForceAnObjectAndAllFoldersAboveItBeforeItAnswers() {
    put(store, "a/b/object");

    Path object = root.resolve("kept/a/b/object");
    assertThat(object).hasBinaryContent(CONTENT);
    assertThat(forced)
        .containsExactly(
            object, root.resolve("kept/a/b"), root.resolve("kept/a"), root.resolve("kept"), root);
  }

  @Test
  void shouldForceANewBucket() {
    store.createContainer(CreateBucketRequest.builder().bucket("fresh").build());

    assertThat(forced).containsExactly(root.resolve("fresh"), root);
  }

  @Test
  void shouldForceTheWholeOfAnUploadInParts() {
    MultipartUpload upload =
        store.initiateMultipartUpload(
            CreateMultipartUploadRequest.builder().bucket("kept").key("large").build());
    String tag =
        store
            .uploadMultipartPart(
                upload,
                UploadPartRequest.builder()
                    .bucket("kept")
                    .key("large")
                    .partNumber(1)
                    .contentLength((long) CONTENT.length)
                    .build(),
                new ByteArrayInputStream(CONTENT))
            .eTag();
    forced.clear();

    store.completeMultipartUpload(
        upload,
        CompleteMultipartUploadRequest.builder()
            .bucket("kept")
            .key("large")
            .multipartUpload(
                CompletedMultipartUpload.builder()
                    .parts(CompletedPart.builder().partNumber(1).eTag(tag).build())
                    .build())
            .build());

    assertThat(root.resolve("kept/large")).hasBinaryContent(CONTENT);
    assertThat(forced).containsExactly(root.resolve("kept/large"), root.resolve("kept"), root);
  }

  @Test
  void shouldForceARealFileAndARealFolder() throws Exception {
    DurableBlobStore.force(Files.createFile(root.resolve("file")));
    DurableBlobStore.force(root);
  }

  @Test
  void shouldNotAnswerForWhatTheDiskRefuses() {
    BlobStore broken =
        new DurableBlobStore(
            files(),
            root,
            path -> {
              throw new IOException("no space left on device");
            });

    assertThatThrownBy(() -> put(broken, "object"))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("kept/object could not be forced to the disk");
  }

  @Test
  void shouldTakeAnObjectThatIsRemovedMeanwhile() {
    BlobStore racing =
        new DurableBlobStore(
            files(),
            root,
            path -> {
              Files.deleteIfExists(root.resolve("kept/object"));
              DurableBlobStore.force(path);
            });

    put(racing, "object");

    assertThat(root.resolve("kept/object")).doesNotExist();
  }

  @Test
  void shouldHandOverFullReadsOfWhatComesInDribs() throws Exception {
    List<Integer> reads = new ArrayList<>();
    BlobStore reading =
        new ForwardingBlobStore(files()) {
          @Override
          public PutObjectResponse putBlob(PutObjectRequest request, InputStream content) {
            byte[] some = new byte[4];
            try {
              for (int read = 0; read >= 0; ) {
                read = content.read(some, 0, some.length);
                reads.add(read);
              }
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
            return PutObjectResponse.builder().build();
          }
        };
    InputStream dribs =
        new FilterInputStream(new ByteArrayInputStream(CONTENT)) {
          @Override
          public int read(byte[] bytes, int offset, int length) throws IOException {
            return super.read(bytes, offset, Math.min(length, 1));
          }
        };

    new DurableBlobStore(reading, root, path -> {})
        .putBlob(PutObjectRequest.builder().bucket("kept").key("object").build(), dribs);

    assertThat(reads).containsExactly(4, 3, -1);
  }

  private void force(Path path) throws IOException {
    assertThat(path).exists();
    forced.add(path);
  }

  private BlobStore files() {
    Properties properties = new Properties();
    properties.setProperty("jclouds.filesystem.basedir", root.toString());
    return BlobStores.create("filesystem-nio2", properties);
  }

  private static void put(BlobStore store, String key) {
    store.putBlob(
        PutObjectRequest.builder()
            .bucket("kept")
            .key(key)
            .contentLength((long) CONTENT.length)
            .build(),
        new ByteArrayInputStream(CONTENT));
  }
}
