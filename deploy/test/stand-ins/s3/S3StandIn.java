/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.gaul.s3proxy.BlobStores;
import org.gaul.s3proxy.S3Proxy;
import org.gaul.s3proxy.auth.AuthenticationType;

/** An S3 server that is configured as the image of MinIO, with real signature checks. */
final class S3StandIn {
  private S3StandIn() {}

  public static void main(String[] args) throws Exception {
    Properties properties = new Properties();
    properties.setProperty("jclouds.filesystem.basedir", "/data");
    S3Proxy server =
        S3Proxy.builder()
            .blobStore(BlobStores.create("filesystem-nio2", properties))
            .endpoint(URI.create("http://0.0.0.0:9000"))
            .awsAuthentication(
                AuthenticationType.AWS_V4,
                secret("MINIO_ROOT_USER"),
                secret("MINIO_ROOT_PASSWORD"))
            .v4MaxNonChunkedRequestSize(32L << 20)
            .build();
    server.start();
    Thread.currentThread().join();
  }

  private static String secret(String name) throws IOException {
    String file = System.getenv(name + "_FILE");
    return file == null ? System.getenv(name) : Files.readString(Path.of(file)).strip();
  }
}
