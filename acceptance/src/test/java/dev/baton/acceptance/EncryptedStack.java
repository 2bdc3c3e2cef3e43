/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import dev.baton.chaos.fault.TcpProxy;
import dev.baton.protocol.kafka.KafkaSecuritySettings;
import dev.baton.protocol.tls.CertificateAuthority;
import dev.baton.protocol.tls.CertificateAuthority.Issued;
import dev.baton.protocol.tls.TlsSettings;
import dev.baton.standalone.StackBuilder;
import dev.baton.standalone.StackComponent;
import dev.baton.standalone.StandaloneStack;
import dev.baton.standalone.files.DirectoryTreeDeleter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;

/**
 * A stack in which every connection uses TLS, with certificates of the authority of its data
 * folder: both services require certificates of their clients, Postgres requires one and a
 * password, Kafka a user with the ACLs of docs/security.md, and the object store is behind a proxy
 * with a certificate.
 *
 * @param on the stack
 * @param authority that has issued all certificates
 * @param database of Postgres
 * @param client of its clients
 * @param kafka users of the broker
 * @param objects processes of the object store
 * @param secured the object store's proxy
 * @param foreign another one, whose certificate is for another host
 */
record EncryptedStack(
    SharedStackExtension.RunningStack on,
    CertificateAuthority authority,
    Issued database,
    Issued client,
    SecuredBroker kafka,
    StandaloneStack objects,
    TcpProxy secured,
    TcpProxy foreign)
    implements StackSharingExtension.SharedStack {

  /** The names of certificates of servers that clients find by address. */
  static final List<String> LOOPBACK = List.of("ip:127.0.0.1");

  static EncryptedStack start() {
    try {
      return start(Files.createTempDirectory("baton-encrypted-"));
    } catch (Exception e) {
      throw new AssertionError("the encrypted stack did not start", e);
    }
  }

  private static EncryptedStack start(Path folder) throws Exception {
    Path data = folder.resolve("stack");
    Path certificates =
        Files.createDirectories(
            data.resolve("tls"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    CertificateAuthority authority = CertificateAuthority.of(certificates);
    Issued database = authority.issue("database", LOOPBACK, 2);
    Issued client = authority.issue("database-client", LOOPBACK, 2);
    SecuredBroker kafka = SecuredBroker.create(folder, authority);

    // The first start creates Postgres' settings, and the users and ACLs of Kafka.
    StackBuilder first =
        kafka
            .configure(SharedStackExtension.builder().data(data))
            .components(StackComponent.POSTGRES, StackComponent.KAFKA);
    try (StandaloneStack alone = first.start();
        Admin admin = Admin.create(kafka.client("broker", alone.kafkaBootstrap()))) {
      kafka.allow(admin);
    }
    encrypt(data.resolve("postgres/data"), database, authority);
    StandaloneStack objects =
        SharedStackExtension.builder()
            .data(Files.createTempDirectory("baton-encrypted-objects-"))
            .components(StackComponent.S3)
            .start();
    int port = URI.create(objects.s3().endpoint()).getPort();
    TcpProxy secured = listen(authority.issue("objects", LOOPBACK, 2)).to(port);
    TcpProxy foreign =
        listen(authority.issue("foreign", List.of("dns:objects.example"), 2)).to(port);

    StackBuilder all = kafka.configure(SharedStackExtension.builder().data(data)).tls(true);
    for (StackComponent service : List.of(StackComponent.ORCHESTRATOR, StackComponent.STORE)) {
      all.environment(service, "BATON_TLS_CLIENT_AUTH", "required");
      databaseSettings(authority, client)
          .forEach((name, value) -> all.environment(service, name, value));
      kafka
          .settings(service.label(), authority.certificate())
          .forEach(
              (key, value) -> all.environment(service, KafkaSecuritySettings.variable(key), value));
    }
    objectSettings(objects, secured)
        .forEach((name, value) -> all.environment(StackComponent.STORE, name, value));
    return new EncryptedStack(
        SharedStackExtension.RunningStack.of(all, folder),
        authority,
        database,
        client,
        kafka,
        objects,
        secured,
        foreign);
  }

  private static void encrypt(Path cluster, Issued server, CertificateAuthority authority)
      throws IOException {
    Files.writeString(
        cluster.resolve("postgresql.conf"),
        """
        ssl = on
        ssl_cert_file = '%s'
        ssl_key_file = '%s'
        ssl_ca_file = '%s'
        """
            .formatted(server.certificate(), server.key(), authority.certificate()),
        StandardOpenOption.APPEND);
    Files.writeString(
        cluster.resolve("pg_hba.conf"),
        "hostssl all all 127.0.0.1/32 scram-sha-256 clientcert=verify-ca\n");
  }

  /** Listens with TLS; passes the bytes on without. */
  private static TcpProxy listen(Issued issued) throws Exception {
    TlsSettings settings = issued.settings();
    return TcpProxy.open(
        settings
            .context()
            .getServerSocketFactory()
            .createServerSocket(0, 128, InetAddress.getLoopbackAddress()));
  }

  /** Returns what both services need to connect to Postgres. */
  Map<String, String> databaseSettings() {
    return databaseSettings(authority, client);
  }

  private static Map<String, String> databaseSettings(
      CertificateAuthority authority, Issued client) {
    return Map.of(
        "BATON_DB_SSL_MODE",
        "verify-full",
        "BATON_DB_SSL_ROOT_CERTIFICATE",
        authority.certificate().toString(),
        "BATON_DB_SSL_CERTIFICATE",
        client.certificate().toString(),
        "BATON_DB_SSL_KEY",
        client.key().toString());
  }

  /** Returns what the checkpoint-store needs for the object store behind a proxy. */
  Map<String, String> objectSettings(TcpProxy proxy) {
    return objectSettings(objects, proxy);
  }

  private static Map<String, String> objectSettings(StandaloneStack objects, TcpProxy proxy) {
    return Map.of(
        "BATON_OBJECT_STORE_ENDPOINT",
        "https://127.0.0.1:" + proxy.port(),
        "BATON_OBJECT_STORE_ACCESS_KEY",
        objects.s3().accessKey(),
        "BATON_OBJECT_STORE_SECRET_KEY",
        objects.s3().secretKey());
  }

  @Override
  public void failed(String test) {
    on.failed(test);
  }

  StandaloneStack stack() {
    return on.stack;
  }

  @Override
  public void close() throws IOException {
    on.close();
    secured.close();
    foreign.close();
    objects.close();
    DirectoryTreeDeleter.delete(objects.data());
  }
}
