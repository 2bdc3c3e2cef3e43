/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.testing;

import dev.baton.standalone.S3Access;
import dev.baton.standalone.files.DirectoryTreeDeleter;
import dev.baton.standalone.testkit.FaultyS3Proxy;
import dev.baton.standalone.testkit.S3MockProcess;
import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import io.quarkus.test.junit.QuarkusTestProfile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Configures a second implementation of S3, behind a proxy that fails requests on demand. */
public final class OtherS3TestProfile implements QuarkusTestProfile {
  private static final String FAIL = "test.fail";

  @Override
  public List<TestResourceEntry> testResources() {
    return List.of(new TestResourceEntry(Server.class));
  }

  /**
   * @param share of the requests that fail from now on, 0 to 1
   */
  public static void fail(double share) {
    System.setProperty(FAIL, Double.toString(share));
  }

  /**
   * The servers; its object store takes precedence over that of {@link StoreServersTestResource}.
   */
  public static final class Server implements QuarkusTestResourceLifecycleManager {
    private @Nullable Path folder;
    private @Nullable S3MockProcess server;
    private @Nullable FaultyS3Proxy proxy;

    @Override
    public int order() {
      return 1;
    }

    @Override
    public Map<String, String> start() {
      try {
        folder = Files.createTempDirectory("baton-other-s3");
        server = S3MockProcess.start(folder);
        S3Access access = server.access();
        long seed = new Random().nextLong();
        System.out.println("requests to the object store fail by seed " + seed);
        proxy = new FaultyS3Proxy(URI.create(access.endpoint()), seed);
        // The tests run in another class loader, so the setting is a system property.
        System.setProperty(FAIL, "0");
        proxy.fail(() -> Double.parseDouble(System.getProperty(FAIL, "0")));
        return Map.of(
            "baton.object-store.endpoint", proxy.endpoint().toString(),
            "baton.object-store.bucket", "other",
            "baton.object-store.access-key", access.accessKey(),
            "baton.object-store.secret-key", access.secretKey());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void stop() {
      System.clearProperty(FAIL);
      try {
        if (proxy != null) {
          proxy.close();
        }
        if (server != null) {
          server.close();
        }
        if (folder != null) {
          DirectoryTreeDeleter.delete(folder);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
