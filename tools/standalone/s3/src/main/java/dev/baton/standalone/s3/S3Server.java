/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.s3;

import java.net.URI;
import java.nio.file.Files;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import org.gaul.s3proxy.BlobStores;
import org.gaul.s3proxy.S3Proxy;
import org.gaul.s3proxy.auth.AuthenticationType;

/**
 * Runs an S3 server on a folder, on 127.0.0.1 only, with real signature checks.
 *
 * <p>Prints {@code ready PORT} on standard output once it accepts requests; all other output goes
 * to standard error. SIGTERM stops it cleanly. Neither a SIGKILL nor a power loss loses an object
 * whose PUT was acknowledged.
 */
public final class S3Server {

  // Each request holds one thread and some buffers: this limits the memory of a burst.
  private static final int THREADS = 32;
  // A signed body is held in memory until its digest is computed; presigned and chunked ones are
  // streamed.
  private static final long LARGEST_SIGNED_BODY = 32L * 1024 * 1024;
  private static final long STOP_MILLIS = 2_000;

  private S3Server() {}

  /** Exits with 64 when an argument is wrong, with 1 when the server cannot start. */
  public static void main(String... args) {
    S3ServerOptions options;
    try {
      options = S3ServerOptions.parse(System.getenv(), args);
    } catch (IllegalArgumentException e) {
      System.err.println("s3: " + e.getMessage());
      System.exit(64);
      return;
    }
    try {
      run(options);
    } catch (Exception e) {
      e.printStackTrace();
      System.exit(1);
    }
  }

  private static void run(S3ServerOptions options) throws Exception {
    Files.createDirectories(options.data());
    S3Proxy server = server(options);
    CountDownLatch stopped = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  stop(server);
                  stopped.countDown();
                },
                "s3-shutdown"));
    server.start();
    System.out.println("ready " + options.port());
    stopped.await();
  }

  private static S3Proxy server(S3ServerOptions options) {
    Properties properties = new Properties();
    properties.setProperty("jclouds.filesystem.basedir", options.data().toString());
    return S3Proxy.builder()
        .blobStore(
            new DurableBlobStore(
                BlobStores.create("filesystem-nio2", properties),
                options.data(),
                DurableBlobStore::force))
        .endpoint(URI.create("http://127.0.0.1:" + options.port()))
        .awsAuthentication(AuthenticationType.AWS_V4, options.accessKey(), options.secretKey())
        .v4MaxNonChunkedRequestSize(LARGEST_SIGNED_BODY)
        .jettyMaxThreads(THREADS)
        .stopTimeout(STOP_MILLIS)
        .build();
  }

  private static void stop(S3Proxy server) {
    try {
      server.stop();
    } catch (Exception e) {
      // The process exits in any case; the log must show that the stop failed.
      System.err.println("s3: did not stop cleanly: " + e);
    }
  }
}
