/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.testing;

import dev.baton.oidc.testkit.OidcTestIssuer;
import dev.baton.protocol.identity.ApiKeyFormat;
import dev.baton.standalone.StackComponent;
import dev.baton.standalone.StandaloneStack;
import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Starts Kafka and Postgres as processes, once for the module, and a scripted store in this
 * process.
 */
public final class OrchestratorTestResource implements QuarkusTestResourceLifecycleManager {
  private @Nullable StandaloneStack stack;
  private @Nullable FakeStore store;
  private @Nullable WebhookReceiver webhook;
  private static volatile @Nullable OidcTestIssuer issuer;

  /** The issuer whose tokens the service accepts for the audience {@code baton}. */
  public static OidcTestIssuer issuer() {
    return Objects.requireNonNull(issuer, "not started");
  }

  @Override
  public Map<String, String> start() {
    try {
      Path data = Files.createTempDirectory("baton-orchestrator-test");
      stack =
          StandaloneStack.builder()
              .data(data)
              .components(StackComponent.KAFKA, StackComponent.POSTGRES)
              .start();
      store = new FakeStore();
      webhook = new WebhookReceiver();
      issuer = new OidcTestIssuer();
      return settings(data);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private Map<String, String> settings(Path data) throws IOException {
    StandaloneStack running = Objects.requireNonNull(stack);
    Map<String, String> settings = new HashMap<>();
    settings.put("kafka.bootstrap.servers", running.kafkaBootstrap());
    settings.put("baton.db.host", running.postgres().host());
    settings.put("baton.db.port", Integer.toString(running.postgres().port()));
    settings.put("baton.db.name", running.postgres().database());
    settings.put("baton.db.user", running.postgres().user());
    settings.put("baton.db.password", running.postgres().password());
    settings.put("baton.data", data.resolve("orchestrator-under-test").toString());
    String key = ApiKeyFormat.create();
    Path keys = data.resolve("admin.keys");
    Files.writeString(keys, "# a key of the tests\n" + key + "\n");
    settings.put("baton.identity.admin-keys-file", keys.toString());
    settings.put(OrchestratorTestClient.API_KEY, key);
    String viewer = ApiKeyFormat.create();
    settings.put(
        "baton.identity.viewer-keys-file",
        Files.writeString(data.resolve("viewer.keys"), viewer).toString());
    settings.put(OrchestratorTestClient.VIEWER_KEY, viewer);
    settings.put("baton.identity.oidc.issuer", issuer().url());
    settings.put("baton.identity.oidc.audience", "baton");
    settings.put("baton.identity.oidc.principal-claim", "email");
    settings.put(
        "baton.identity.oidc.roles",
        "admins *=admin\nviewers *=viewer\noperators *=operator\npayments payments=operator");
    settings.put("baton.store-url", "http://127.0.0.1:" + Objects.requireNonNull(store).port());
    settings.put("baton.orchestrator-url", "http://127.0.0.1:1");
    settings.put("baton.heartbeat.interval", "200ms");
    settings.put("baton.heartbeat.timeout", "1s");
    settings.put("baton.checkpoint.request-timeout", "3s");
    Path runner = data.resolve("runner.sh");
    Files.writeString(runner, RUNNER);
    settings.put("baton.launcher.process.command", "/bin/sh\n" + runner);
    settings.put("baton.launcher.pool.size", "0");
    // Behind the standard one, so that only runs that select it get there.
    settings.put("baton.launchers.tiny.order", "500");
    settings.put("baton.launchers.tiny.max-runners", "1");
    settings.put("baton.launchers.tiny.labels.size", "tiny");
    settings.put("baton.launchers.tiny.pools.big.labels.memory", "big");
    settings.put("baton.launchers.lasting.order", "600");
    settings.put("baton.launchers.lasting.labels.lasting", "true");
    settings.put("baton.launchers.pooled.order", "700");
    settings.put("baton.launchers.pooled.labels.pooled", "true");
    settings.put("baton.launchers.pooled.pools.fixed.order", "100");
    // The runners of these tests never attach.
    settings.put("baton.launcher.starting", "1000");
    settings.put("baton.notifications.webhook.url", Objects.requireNonNull(webhook).url());
    settings.put("baton.notifications.webhook.secret", WebhookReceiver.SECRET);
    settings.put("baton.notifications.webhook.retry", "100ms");
    return settings;
  }

  /**
   * A runner process that never attaches. If the file exists, the process of the first epoch exits
   * at once.
   */
  private static final String RUNNER =
      """
      if [ "$BATON_EPOCH" = 1 ] && [ -f "$BATON_DATA/exit-3" ]; then exit 3; fi
      setsid sleep 600 &
      exec sleep 600
      """;

  @Override
  public void stop() {
    try {
      if (store != null) {
        store.close();
      }
      if (webhook != null) {
        webhook.close();
      }
      issuer().close();
      if (stack != null) {
        stack.close();
        delete(stack.data());
      }
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }
}
