/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.s3;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.gaul.s3proxy.blobstore.BlobStore;
import org.gaul.s3proxy.blobstore.ForwardingBlobStore;
import org.gaul.s3proxy.blobstore.domain.MultipartUpload;
import software.amazon.awssdk.services.s3.model.CompleteMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.CompleteMultipartUploadResponse;
import software.amazon.awssdk.services.s3.model.CopyObjectRequest;
import software.amazon.awssdk.services.s3.model.CopyObjectResponse;
import software.amazon.awssdk.services.s3.model.CreateBucketRequest;
import software.amazon.awssdk.services.s3.model.CreateBucketResponse;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.PutObjectResponse;
import software.amazon.awssdk.services.s3.model.UploadPartRequest;
import software.amazon.awssdk.services.s3.model.UploadPartResponse;

/**
 * Acknowledges a write only after the data is forced to the disk: the log names a cut as soon as
 * its objects were acknowledged, and the log itself survives a power loss.
 *
 * <p>Parts of an upload are not forced, since completing it copies them. Deletions are not forced
 * either: garbage collection finds an unreferenced object that reappears.
 *
 * <p>Thread-safe.
 */
final class DurableBlobStore extends ForwardingBlobStore {

  private final Path root;
  private final FileForcer forcing;

  /** Forces the content and the name of a file or a folder to the disk. */
  @FunctionalInterface
  interface FileForcer {
    void force(Path path) throws IOException;
  }

  /**
   * @param root the folder of {@code store}, whose buckets and keys are paths below it
   */
  DurableBlobStore(BlobStore store, Path root, FileForcer forcing) {
    super(store);
    this.root = root.normalize();
    this.forcing = forcing;
  }

  /** Uses the system's fsync, which also accepts a folder. */
  static void force(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  @Override
  public CreateBucketResponse createContainer(CreateBucketRequest request) {
    CreateBucketResponse response = super.createContainer(request);
    persist(root.resolve(request.bucket()));
    return response;
  }

  @Override
  public PutObjectResponse putBlob(PutObjectRequest request, InputStream content) {
    PutObjectResponse response = super.putBlob(request, new FullReads(content));
    persist(object(request.bucket(), request.key()));
    return response;
  }

  @Override
  public UploadPartResponse uploadMultipartPart(
      MultipartUpload upload, UploadPartRequest request, InputStream content) {
    return super.uploadMultipartPart(upload, request, new FullReads(content));
  }

  @Override
  public CopyObjectResponse copyBlob(CopyObjectRequest request) {
    CopyObjectResponse response = super.copyBlob(request);
    persist(object(request.destinationBucket(), request.destinationKey()));
    return response;
  }

  @Override
  public CompleteMultipartUploadResponse completeMultipartUpload(
      MultipartUpload upload, CompleteMultipartUploadRequest request) {
    CompleteMultipartUploadResponse response = super.completeMultipartUpload(upload, request);
    persist(object(upload.containerName(), upload.blobName()));
    return response;
  }

  private Path object(String bucket, String key) {
    return root.resolve(bucket).resolve(key).normalize();
  }

  /**
   * Forces the object and all its parent folders: each may be new, and the store removes empty
   * folders. Forcing an unchanged folder costs almost nothing.
   */
  private void persist(Path object) {
    try {
      for (Path path = object; path != null && path.startsWith(root); path = path.getParent()) {
        forcing.force(path);
      }
    } catch (NoSuchFileException e) {
      // Deleted by another request meanwhile: no data can be lost.
      return;
    } catch (IOException e) {
      throw new UncheckedIOException(object + " could not be forced to the disk", e);
    }
  }

  /**
   * Fills the buffer completely, even if the network delivers little at a time: the store writes
   * the result of each read, and a write that ends within a page causes the system to clear the
   * rest of the page.
   */
  private static final class FullReads extends FilterInputStream {
    FullReads(InputStream content) {
      super(content);
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      int read = in.readNBytes(bytes, offset, length);
      return read == 0 && length > 0 ? -1 : read;
    }
  }
}
