/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.tls;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * An authority of one machine, which issues certificates for its services and clients by the JDK's
 * {@code keytool}. Its key and the issued keys are readable only by their owner.
 */
public final class CertificateAuthority {
  private static final String AUTHORITY = "authority";
  private static final int SECONDS = 60;
  private static final Set<PosixFilePermission> OWNER =
      PosixFilePermissions.fromString("rw-------");

  private final Path folder;

  private CertificateAuthority(Path folder) {
    this.folder = folder;
  }

  /**
   * An issued certificate.
   *
   * @param certificate PEM
   * @param key PEM, PKCS #8
   */
  public record Issued(Path certificate, Path key) {
    /** Returns the settings of a program that presents the certificate. */
    public TlsSettings settings() {
      return new TlsSettings(Optional.empty(), Optional.of(certificate), Optional.of(key));
    }
  }

  /** Returns the authority of a folder; creates it on first use. The folder must exist. */
  public static CertificateAuthority of(Path folder) throws IOException, InterruptedException {
    CertificateAuthority authority = new CertificateAuthority(folder);
    if (!Files.exists(authority.certificate())) {
      authority.create();
    }
    return authority;
  }

  /** The file with its certificate, in PEM, for programs that trust it. */
  public Path certificate() {
    return folder.resolve("ca.pem");
  }

  /** Returns the settings of a client that trusts this authority and presents no certificate. */
  public TlsSettings trusting() {
    return new TlsSettings(Optional.of(certificate()), Optional.empty(), Optional.empty());
  }

  private Path store() {
    return folder.resolve("ca.p12");
  }

  private Path password() {
    return folder.resolve("ca.password");
  }

  private void create() throws IOException, InterruptedException {
    Files.deleteIfExists(store());
    byte[] secret = new byte[24];
    new SecureRandom().nextBytes(secret);
    write(password(), HexFormat.of().formatHex(secret));
    keytool(
        "-genkeypair",
        "-alias",
        AUTHORITY,
        "-keyalg",
        "EC",
        "-groupname",
        "secp256r1",
        "-storetype",
        "PKCS12",
        "-startdate",
        "-1H",
        "-validity",
        "3650",
        "-dname",
        "CN=Baton local authority " + HexFormat.of().formatHex(secret, 0, 4),
        "-ext",
        "bc:c",
        "-ext",
        "ku:c=keyCertSign,cRLSign");
    Files.setPosixFilePermissions(store(), OWNER);
    keytool("-exportcert", "-rfc", "-alias", AUTHORITY, "-file", certificate() + ".new");
    Files.move(Path.of(certificate() + ".new"), certificate(), StandardCopyOption.ATOMIC_MOVE);
  }

  /**
   * Issues a certificate for servers and clients, which replaces an earlier one of the same name.
   *
   * @param name of its files, and its common name
   * @param alternatives such as {@code dns:localhost} and {@code ip:127.0.0.1}
   * @param days for which it is valid, from one hour ago on
   */
  public Issued issue(String name, List<String> alternatives, int days)
      throws IOException, InterruptedException {
    return issue(name, alternatives, "-1H", days);
  }

  /**
   * Issues a certificate that is valid from another time on.
   *
   * @param start as {@code keytool -startdate} takes it
   */
  public Issued issue(String name, List<String> alternatives, String start, int days)
      throws IOException, InterruptedException {
    keytool(
        "-genkeypair",
        "-alias",
        name,
        "-signer",
        AUTHORITY,
        "-keyalg",
        "EC",
        "-groupname",
        "secp256r1",
        "-startdate",
        start,
        "-validity",
        Integer.toString(days),
        "-dname",
        "CN=" + name,
        "-ext",
        "san=" + String.join(",", alternatives),
        "-ext",
        "eku=serverAuth,clientAuth");
    char[] password = Files.readString(password()).toCharArray();
    try {
      KeyStore store = KeyStore.getInstance("PKCS12");
      try (InputStream in = Files.newInputStream(store())) {
        store.load(in, password);
      }
      Key key = Objects.requireNonNull(store.getKey(name, password));
      Certificate certificate = Objects.requireNonNull(store.getCertificate(name));
      store.deleteEntry(name);
      try (OutputStream out = Files.newOutputStream(store())) {
        store.store(out, password);
      }
      Issued issued = new Issued(folder.resolve(name + ".pem"), folder.resolve(name + ".key"));
      write(issued.key(), pem("PRIVATE KEY", key.getEncoded()));
      write(issued.certificate(), pem("CERTIFICATE", certificate.getEncoded()));
      return issued;
    } catch (GeneralSecurityException e) {
      throw new IOException("the authority in " + folder + " cannot issue a certificate", e);
    }
  }

  private static String pem(String type, byte[] bytes) {
    return "-----BEGIN %s-----%n%s%n-----END %s-----%n"
        .formatted(type, Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes), type);
  }

  /** Writes a file of its owner, replacing it as a whole. */
  private static void write(Path file, String text) throws IOException {
    Path fresh = Path.of(file + ".new");
    Files.deleteIfExists(fresh);
    Files.createFile(fresh, PosixFilePermissions.asFileAttribute(OWNER));
    Files.writeString(fresh, text);
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
  }

  private void keytool(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"));
    command.addAll(List.of(arguments));
    command.addAll(List.of("-keystore", store().toString()));
    command.addAll(List.of("-storepass:file", password().toString()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String output =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IOException("keytool did not end within " + SECONDS + " s");
    }
    if (process.exitValue() != 0) {
      throw new IOException("keytool " + arguments[0] + " failed: " + output);
    }
  }
}
