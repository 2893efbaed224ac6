/**
 * Kinds of credentials that the recommended rules of secretlint don't know, most of them of model providers. Each is anchored by words that ordinary text lacks, so that hashes,
 * UUIDs and base64 stay; none can take longer than a fixed number of steps from one place in a text.
 */
export const credentialPatterns: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ["anthropic-token", /\bsk-ant-[a-z]{3,10}\d\d-[\w-]{20,}/g],
  ["openrouter-key", /\bsk-or-v\d-[0-9a-f]{40,}/g],
  ["openai-token", /\bsk-(?:proj|svcacct|admin)-[\w-]{40,}/g],
  ["api-key", /\bsk-[A-Za-z0-9]{32,}(?![\w-])/g],
  ["groq-key", /\bgsk_[A-Za-z0-9]{40,}/g],
  ["xai-key", /\bxai-[A-Za-z0-9]{60,}/g],
  ["hugging-face-token", /\bhf_[A-Za-z0-9]{30,}/g],
  ["google-api-key", /\bAIza[\w-]{35}(?![\w-])/g],
  ["google-oauth-token", /\b(?:GOCSPX-|ya29\.)[\w-]{20,}/g],
  ["stripe-key", /\b(?:[rs]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,}/g],
  ["gitlab-token", /\bgl(?:pat|ptt|rt|soat|dt|ft)-[\w-]{20,}/g],
  ["slack-token", /\bxox[cdes]-[\w-]{10,}/g],
  ["azure-key", /\b(?<=AccountKey=)[A-Za-z0-9+/]{80,}={0,2}/g],
  ["json-web-token", /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/g],
  ["bearer-token", /(?<=\bBearer {1,3})[\w.~+/-]{20,}=*/gi],
  // The password in the URL of any server. `${PASSWORD}` and the like are none.
  ["url-password", /(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@"'`<>]{0,100}:)[^\s:/@"'`<>${}]{4,200}(?=@[\w.-])/gi],
  // A private key of any kind, as far as it is there.
  [
    "private-key",
    /-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:(?:(?!-----)[\s\S]){0,20000}-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----|(?:(?:\s|\\[nr])*[A-Za-z0-9+/=]{16,})*)/g,
  ],
];
