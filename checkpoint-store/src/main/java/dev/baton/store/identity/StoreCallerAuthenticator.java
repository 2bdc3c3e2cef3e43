/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.identity;

import dev.baton.lease.LeaseAuthenticator;
import dev.baton.lease.ServiceTokenAuthenticator;
import dev.baton.lease.ServiceTokenCodec;
import dev.baton.protocol.identity.AccessRole;
import dev.baton.protocol.identity.ProjectRoles;
import dev.baton.protocol.net.BearerCredential;
import dev.baton.server.KeyFileLoader;
import dev.baton.store.config.StoreConfig;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.mutiny.Uni;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.io.IOException;
import java.security.MessageDigest;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * Finds the roles of a credential: the token of an orchestrator, which may do all, or an API key of
 * the files of {@code baton.identity}. Never logs a credential. Thread-safe.
 */
@ApplicationScoped
class StoreCallerAuthenticator {
  private final ServiceTokenAuthenticator services;
  private final KeyFileLoader.Settings settings;
  private final String host;
  private volatile List<KnownKey> keys = List.of();

  StoreCallerAuthenticator(
      LeaseAuthenticator leases,
      StoreConfig config,
      @ConfigProperty(name = "quarkus.http.host") String host) {
    this.services =
        new ServiceTokenAuthenticator(leases, ServiceTokenCodec.STORE, InstantSource.system());
    StoreConfig.Identity identity = config.identity();
    this.settings =
        new KeyFileLoader.Settings(
            identity.required(), identity.adminKeysFile(), identity.viewerKeysFile());
    this.host = host;
  }

  private record KnownKey(byte[] digest, ProjectRoles roles) {}

  /** Reads the files before the port opens. */
  void onStart(@Observes @Priority(1) StartupEvent event) throws IOException {
    List<String> problems = KeyFileLoader.problems(settings, host);
    if (!problems.isEmpty()) {
      throw new IllegalStateException("configuration: " + String.join("; ", problems));
    }
    keys =
        KeyFileLoader.load(settings).stream()
            .map(file -> new KnownKey(BearerCredential.digest(file.key()), file.roles()))
            .toList();
  }

  boolean isRequired() {
    return settings.required();
  }

  /**
   * Returns the roles of a credential.
   *
   * @return empty when it is wrong or expired. Fails with UNAVAILABLE when it names a signing key
   *     that cannot be fetched now
   */
  Uni<Optional<ProjectRoles>> authenticate(String credential) {
    byte[] digest = BearerCredential.digest(credential);
    for (KnownKey key : keys) {
      if (MessageDigest.isEqual(key.digest(), digest)) {
        return Uni.createFrom().item(Optional.of(key.roles()));
      }
    }
    return services
        .authenticate(credential)
        .map(service -> service.map(name -> ProjectRoles.everywhere(AccessRole.ADMIN)));
  }
}
