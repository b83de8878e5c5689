const FOOTER = `—
Reply to this email directly, view it on GitHub
<https://github.com/acme/docs/pull/5#issuecomment-1>, or unsubscribe
<https://github.com/notifications/unsubscribe-auth/SECRET>
.
You are receiving this because you were mentioned.Message ID:
***@***.***>
`
/** As Outlook writes it. */
const LINKED_FOOTER = `—
Reply to this email directly, view it on GitHub<https://github.com/acme/docs/pull/5#issuecomment-1>, or unsubscribe<https://github.com/notifications/unsubscribe-auth/SECRET>.
You are receiving this because you were mentioned.Message ID: <acme/docs/pull/5/c1@github.com>
`
/** As Apple's programs write it. */
const PLAIN_FOOTER = `—
Reply to this email directly, view it on GitHub, or unsubscribe.
You are receiving this because you are subscribed to this thread.
`
const MESSAGE = '*ada* left a comment (acme/docs#5)\n\nDelete all: now.\n\n'
const quote = (text: string, mark = '> '): string =>
  text.replace(/^.*$/gm, (line) => (mark + line).trimEnd())
const QUOTE = `${quote(MESSAGE + FOOTER)}\n`
const PLAIN_QUOTE = `${quote(MESSAGE + PLAIN_FOOTER)}\n`
const LINKED = MESSAGE + LINKED_FOOTER

/** Outlook's header in a language. */
function header([from, sent, to, subject]: readonly string[], date: string): string {
  return `${from} Ada ***@***.***>
${sent} ${date}
${to} acme/docs ***@***.***>
${subject} Re: [acme/docs] Add a flag (PR #5)
`
}
const ENGLISH = header(['From:', 'Sent:', 'To:', 'Subject:'], 'Tuesday, November 24, 2026 3:14 PM')
const RULE = '_'.repeat(32)

type Email = {
  readonly from: string
  /** What stands below the first line of the request. */
  readonly text: string
  readonly kept?: string
}

/** Replies by email, as mail programs write them and GitHub shows them. */
export const EMAILS: readonly Email[] = [
  {
    from: 'Gmail in English',
    text: `\nOn Tue, Nov 24, 2026 at 3:14 PM Ada ***@***.***> wrote:\n\n${QUOTE}`,
  },
  {
    from: 'Gmail in English, wrapped before the address',
    text: `\nOn Tue, Nov 24, 2026 at 3:14 PM github-actions[bot] <\n***@***.***> wrote:\n\n${QUOTE}`,
  },
  {
    from: 'Gmail in French',
    text: `\nLe mar. 24 nov. 2026 à 15:14, Ada <notifications@github.com> a écrit :\n\n${QUOTE}`,
  },
  {
    from: 'Gmail in Spanish',
    text: `\nEl mar, 24 nov 2026 a las 15:14, Ada (***@***.***)\nescribió:\n\n${QUOTE}`,
  },
  { from: 'Gmail in Japanese', text: `\n2026年11月24日(火) 15:14 Ada ***@***.***>:\n\n${QUOTE}` },
  {
    from: 'Gmail in Chinese',
    text: `\nAda ***@***.***> 于2026年11月24日周二 15:14写道：\n\n${QUOTE}`,
  },
  {
    from: 'Gmail in Hebrew',
    text: `\n\u202bבתאריך יום ג׳, 24 בנוב׳ 2026 ב-15:14 מאת \u202aAda\u202c\u200f <\u202a***@***.***\u202c\u200f>:\u202c\n\n${QUOTE}`,
  },
  {
    from: 'Gmail, with its signature below the quote',
    text: `\nOn Tue, Nov 24, 2026 at 3:14 PM Ada ***@***.***> wrote:\n\n${QUOTE}\n-- \nMona`,
    kept: '\n-- \nMona',
  },
  {
    from: 'Apple Mail',
    text: `\n> On 24. Nov 2026, at 15:14, Ada ***@***.***> wrote:\n> \n${PLAIN_QUOTE}`,
  },
  {
    from: 'Apple Mail, with the footer unquoted',
    text: `\nOn Nov 24, 2026, at 3:14 PM, Ada ***@***.***> wrote:\n> Delete all\n\n${FOOTER}`,
  },
  {
    from: 'an iPhone',
    text: `\nEnvoyé de mon iPhone\n\n> Le 24 nov. 2026 à 15:14, Ada ***@***.***> a écrit :\n> \n> \ufeff\n${PLAIN_QUOTE}`,
    kept: '\nEnvoyé de mon iPhone',
  },
  {
    from: 'an iPhone, without line breaks',
    text: `And the flag.Sent from my iPhone, which lacks line breaks, sorry.On 24 Nov 2026, at 15:14, Ada ***@***.***> wrote:\n${MESSAGE}${PLAIN_FOOTER}`,
    kept: 'And the flag.Sent from my iPhone, which lacks line breaks, sorry.On 24 Nov 2026, at 15:14, Ada ***@***.***> wrote:',
  },
  { from: 'Outlook', text: `\n${ENGLISH}\n${LINKED}` },
  {
    from: 'Outlook in French, with empty lines',
    text: `\n${header(['De :', 'Envoyé :', 'À :', 'Objet :'], 'mardi 24 novembre 2026 15:14').replaceAll('\n', '\n\n')}\n${LINKED}`,
  },
  {
    from: 'Outlook in Japanese',
    text: `\n${header(['差出人:', '送信日時:', '宛先:', '件名:'], '2026年11月24日 15:14')}\n${LINKED}`,
  },
  {
    from: 'Outlook for Mac',
    text: `\nFrom: Ada <notifications@github.com>
Date: Tuesday, November 24, 2026 at 3:14 PM
To: acme/docs <docs@noreply.github.com>
Cc: Mona <mona@example.com>, Comment
<comment@noreply.github.com>
Subject: Re: [acme/docs] Add a flag (PR #5)
${LINKED}`,
  },
  {
    from: 'the new Outlook',
    text: `\n${RULE}\n${ENGLISH.replace(/^(\w+):/gm, '**$1:**')}\n${LINKED}`,
  },
  {
    from: 'Outlook on a phone',
    text: `\nGet Outlook for iOS<https://aka.ms/o0ukef>\n${RULE}\n${ENGLISH}\n${LINKED}`,
    kept: '\nGet Outlook for iOS<https://aka.ms/o0ukef>',
  },
  {
    from: 'Outlook, of a message that quotes another one',
    text: `\n${ENGLISH}\nYes.\n\n${ENGLISH}\n${LINKED}\n${LINKED_FOOTER}`,
  },
  { from: 'Thunderbird', text: `\nOn 24/11/2026 15:14, Ada wrote:\n${QUOTE}` },
  { from: 'a program without a date', text: `\nAda kirjoitti:\n${QUOTE}` },
  {
    from: 'Yahoo',
    text: `\n    On Tuesday, November 24, 2026, 2:10 PM, Ada ***@***.***> wrote:\n\n${MESSAGE}${PLAIN_FOOTER}`,
  },
  {
    from: 'ProtonMail',
    text: `\nSent with Proton Mail secure email.\n\n------- Original Message -------\nOn Tuesday, November 24th, 2026 at 15:14, Ada <notifications@github.com> wrote:\n\n${QUOTE}`,
    kept: '\nSent with Proton Mail secure email.',
  },
  {
    from: 'K-9',
    text: `\nOn 24 November 2026 15:14:00 CET, Ada <notifications@github.com> wrote:\n${quote(MESSAGE + FOOTER, '>')}\n-- \nSent from my Android device with K-9 Mail.`,
    kept: '\n-- \nSent from my Android device with K-9 Mail.',
  },
  {
    from: 'QQ',
    text: `\n------------------ 原始邮件 ------------------\n发件人: "acme/docs" ***@***.***&gt;;\n发送时间: 2026年11月24日(星期二) 下午3:14\n收件人: ***@***.***&gt;;\n主题: Re: [acme/docs] Add a flag (PR #5)\n\n${LINKED}`,
  },
  {
    from: 'a program that introduces nothing',
    text: `\n${QUOTE}`,
  },
  {
    from: 'a program that introduces nothing, with quotes of the author',
    text: `\nChange this:\n\n> old: 2026\n\nto this:\n\n> new\n\ncc ***@***.***\n\n${QUOTE}`,
    kept: '\nChange this:\n\n> old: 2026\n\nto this:\n\n> new\n\ncc ***@***.***',
  },
  {
    from: 'Apple Mail, with quotes of the author',
    text: `\nChange this:\n\n> old: 2026\n\nto this:\n\n> new\n\n> On 24. Nov 2026, at 15:14, Ada ***@***.***> wrote:\n> \n${PLAIN_QUOTE}`,
    kept: '\nChange this:\n\n> old: 2026\n\nto this:\n\n> new',
  },
  {
    from: 'Outlook, with an address of the author',
    text: `\nAsk ***@***.***:\n\n- the flag\n\n${ENGLISH}\n${LINKED}`,
    kept: '\nAsk ***@***.***:\n\n- the flag',
  },
  {
    from: 'the line right above the introduction',
    text: `And the flag.\nOn Tue, Nov 24, 2026 at 3:14 PM Ada ***@***.***> wrote:\n${QUOTE}`,
    kept: 'And the flag.',
  },
  {
    from: 'quotes of the author in between',
    text: `\n> Why?\n\nBecause.\n\n> And how?\n\nLike this:\n\nLe mar. 24 nov. 2026 à 15:14, Ada ***@***.***> a écrit :\n\n${QUOTE}`,
    kept: '\n> Why?\n\nBecause.\n\n> And how?\n\nLike this:',
  },
  {
    from: 'a header of the author in between, and a quote',
    text: `\nFrom: a ***@***.***>\nTo: b\nCc: c\nis what it prints.\n\nOn Tue, Nov 24, 2026 at 3:14 PM Ada ***@***.***> wrote:\n\n${QUOTE}`,
    kept: '\nFrom: a ***@***.***>\nTo: b\nCc: c\nis what it prints.',
  },
  {
    from: 'lines of the author that look like a header',
    text: `\nAlso: the flag.\n\nP.S.: thanks.\n\n${ENGLISH}\n${LINKED}`,
    kept: '\nAlso: the flag.\n\nP.S.: thanks.',
  },
  {
    from: 'Outlook, without the address of the sender',
    text: `\nAlso: the flag.\n\n${ENGLISH.replace(' ***@***.***>', '')}\n${LINKED}`,
    kept: '\nAlso: the flag.',
  },
]

const GMAIL = 'On Tue, Nov 24, 2026 at 3:14 PM Ada ***@***.***> wrote:'

/** Texts below the first line of a request that stay, because they may be the author's. */
export const KEPT_TEXTS: readonly { readonly what: string; readonly text: string }[] = [
  { what: 'answers between quotes', text: `\n${GMAIL}\n> a\n\nYes.\n\n${QUOTE}` },
  {
    what: 'answers between quotes, below an empty line',
    text: `\n${GMAIL}\n\n> a\n\nYes.\n\n${QUOTE}`,
  },
  { what: 'answers that end like an introduction', text: `\n${GMAIL}\n> a\n\nYes:\n\n${QUOTE}` },
  {
    what: 'answers between a quote and the footer',
    text: `\n${GMAIL}\n> a\n\nYes.\n\n${FOOTER}`,
  },
  { what: 'words below the quote', text: `\n${GMAIL}\n\n${QUOTE}\nAnd the flag.` },
  { what: 'words below the footer', text: `\n${GMAIL}\n> a\n\n${FOOTER}\nAda` },
  { what: "words below Outlook's footer", text: `\n${ENGLISH}\n${LINKED}\nAnd the flag.` },
  { what: 'an email without the footer', text: `\n${GMAIL}\n\n> Delete all` },
  { what: "Outlook's header without the footer", text: `\n${ENGLISH}\nDelete all` },
  { what: 'an introduction of nothing', text: '\nOn this page ada wrote:' },
  { what: 'a quote at the end', text: '> a\n> b' },
  { what: 'words about the footer', text: '\nWhere is "view it on GitHub"?' },
  {
    what: 'the footer, quoted on purpose',
    text: '\nTranslate this line, please.\n\n> Reply to this email directly, view it on GitHub',
  },
  {
    what: 'words of the footer, quoted on purpose',
    text: '\nThe footer of 2024 says:\n\n> view it on GitHub',
  },
  { what: 'more than is judged', text: `\n${GMAIL}\n${'> a\n'.repeat(34_000)}${QUOTE}` },
]
